// SPDX-License-Identifier: Apache-2.0
// The product of one row of a sparse matrix with a dense matrix.
#pragma once

#include <cstdint>

namespace mbsc::simd {

/// out[c] = sum of values[e] * V[indices[e] * stride + c] over e in [0, count), for c in [0, columns). The sum is
/// computed in the order of e, with fused multiply-adds if the SIMD level has them. Call choose_level() first.
void sparse_row(const float* values, const int32_t* indices, int64_t count, const float* V, int64_t stride,
                int64_t columns, float* out);

}  // namespace mbsc::simd
