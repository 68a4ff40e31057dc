// SPDX-License-Identifier: Apache-2.0
// The product of a row of a sparse matrix with a dense one.
#pragma once

#include <cstdint>

namespace mbsc::simd {

/// out[0, columns) = sum_e values[e] * (row indices[e] of V)[0, columns), for e in [0, count). The rows of V are `stride`
/// apart. The sum is computed in the order of e, with fused multiply-adds if the level has them.
void sparse_row(const float* values, const int32_t* indices, int64_t count, const float* V, int64_t stride,
                int64_t columns, float* out);

}  // namespace mbsc::simd
