// SPDX-License-Identifier: Apache-2.0
// Conversions between rows in the caller's memory and the layout of the tile (simd/tile.h).
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "mbsc/base/aligned.h"
#include "mbsc/input.h"
#include "mbsc/linalg/row_space.h"
#include "mbsc/options.h"
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

/// Calls body(rows) for all own rows of `space`, in pieces of rows_in_cache(), in parallel. `rows` are local. Skips the
/// rest if a stop is requested; the caller must look at the token afterwards.
template <class T, class Body>
void for_rows_in_cache(const RowSpace& space, int64_t features, double operations_per_row, const StopToken& stop,
                       const Body& body) {
  const int64_t most = rows_in_cache<T>(features);
  space.for_each_block(
      [&](int64_t, Range block) {
        for (Range rows{block.begin, 0}; rows.begin < block.end; rows.begin = rows.end) {
          if (stop.stop_requested()) return;
          rows.end = std::min(block.end, rows.begin + most);
          body(rows);
        }
      },
      operations_per_row);
}

}  // namespace mbsc
