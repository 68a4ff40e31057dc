// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace mbsc::simd {

/// Applies MBSC_SIMD (AVX2, SSE4, ...) before the first dispatch; refuses what this machine lacks.
void choose_level();

}  // namespace mbsc::simd
