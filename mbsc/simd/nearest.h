// SPDX-License-Identifier: Apache-2.0
// Finds the nearest of a few centers for many rows. If there are few clusters and few columns, k-means is faster if it
// checks every center than if it maintains bounds. Rows are stored in groups, feature by feature, so a vector holds one
// feature of several rows.
//     |x - c|^2 = sum_f (x_f - c_f)^2,   in the order of the features, without fused multiply-adds.
// The bits are the same at every SIMD level and the same as in kmeans/distances.h. If several centers are equally near,
// the one with the lowest number is chosen.
#pragma once

#include <cstdint>

namespace mbsc::simd {

/// The number of rows of a group. Feature f of row i of group g is groups[(g * columns + f) * rows_of_group + i].
constexpr int64_t rows_of_group = 32;

/// Writes the number of the nearest center of every row to `labels`, which has group_count * rows_of_group entries.
/// `centers` is count x columns, row-major; count < 2^24.
template <class T>
void find_nearest(const T* groups, int64_t group_count, int64_t columns, const T* centers, int64_t count,
                  int32_t* labels);

}  // namespace mbsc::simd
