// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace mbsc::simd {

/// Sets the SIMD level to the environment variable MBSC_SIMD (AVX2, SSE4, ...) if that is set. Call this before the
/// first dispatch; later calls do nothing. Throws InvalidInput if this machine or build does not support the level.
void choose_level();

}  // namespace mbsc::simd
