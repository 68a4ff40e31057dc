// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace mbsc::simd {

/// Applies MBSC_SIMD (AVX2, SSE4, ...) before the first dispatch. Throws if this machine does not support the level.
void choose_level();

}  // namespace mbsc::simd
