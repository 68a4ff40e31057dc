// SPDX-License-Identifier: Apache-2.0
// Squared distances |x - y|^2 of rows, as sums of squared differences. The order of the sum depends only on the SIMD
// level and the number of features, so |x - y|^2 and |y - x|^2 have the same bits.
#pragma once

#include <cstdint>

namespace mbsc::simd {

/// out[j] = |x - row ids[j] of `rows`|^2 for j in [0, count). The rows are `stride` floats apart.
void squared_distances(const float* x, const float* rows, int64_t stride, const int32_t* ids, int64_t count,
                       int64_t features, float* out);

}  // namespace mbsc::simd
