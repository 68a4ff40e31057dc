// SPDX-License-Identifier: Apache-2.0
// The nearest of a few centers, for many rows: k-means with few clusters in few columns looks at every center faster than
// it could keep bounds. Rows lie in groups, feature by feature, so that a vector has one feature of several rows:
//     |x - c|^2 = sum_f (x_f - c_f)^2,   in the order of the features, without fused multiplications:
// the same bits at every SIMD level, and as kmeans/distances.h has them. Ties go to the lowest center.
#pragma once

#include <cstdint>

namespace mbsc::simd {

/// Rows of a group; feature f of row i of group g is groups[(g * columns + f) * rows_of_group + i].
constexpr int64_t rows_of_group = 32;

/// labels: group_count * rows_of_group. centers: count x columns, row-major; count < 2^24.
template <class T>
void find_nearest(const T* groups, int64_t group_count, int64_t columns, const T* centers, int64_t count, int32_t* labels);

}  // namespace mbsc::simd
