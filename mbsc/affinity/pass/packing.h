// SPDX-License-Identifier: Apache-2.0
// Conversions between rows in the caller's memory and the layout of the tile (simd/tile.h).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mbsc/base/aligned.h"
#include "mbsc/input.h"
#include "mbsc/simd/tile.h"

namespace mbsc {

/// How a stored coordinate becomes a coordinate of the tile: (raw - offset) * factor for each feature. If `unit_length`
/// is set (cosine kernel), the row is also divided by its length. The result is computed in double and rounded once.
struct PackingRule {
  std::vector<double> offset;
  std::vector<double> factor;
  bool unit_length = false;
  bool expanded = false;  ///< the tile computes expanded distances; columns are packed for that form
};

/// Packs rows of `points` in pieces of `width`, which is panel_rows() or group_columns. Row numbers are local.
template <class T>
void pack_points(const Points& points, const PackingRule& rule, Range rows, int64_t width, simd::Packed<T>& out);
template <class T>
void pack_points(const Points& points, const PackingRule& rule, std::span<const int64_t> rows, int64_t width,
                 simd::Packed<T>& out);

/// Packs right-hand sides as [piece][column][width], with zeros in the padding.
template <class T>
void pack_right_hand_sides(MatrixView<const T> rows, int64_t width, AlignedVector<T>& out);

/// out += the sums that a tile has written as [panel][column][width].
template <class T, class Out>
void add_panels(const AlignedVector<T>& panels, int64_t width, MatrixView<Out> out);

/// The number of rows that a thread packs at a time if all threads share the same packed columns. The rows leave room
/// for the columns in the second-level cache.
template <class T>
int64_t rows_in_cache(int64_t features);

}  // namespace mbsc
