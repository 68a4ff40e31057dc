// SPDX-License-Identifier: Apache-2.0
// |x - y|^2 of two rows, by direct differences. The order of the sum depends on the SIMD level and the number of
// features only, so d(x, y) = d(y, x) to the bit.
#pragma once

#include <cstdint>

namespace mbsc::simd {

/// out[j] = |x - row ids[j] of `rows`|^2; rows are `stride` apart.
void squared_distances(const float* x, const float* rows, int64_t stride, const int32_t* ids, int64_t count,
                       int64_t features, float* out);

}  // namespace mbsc::simd
