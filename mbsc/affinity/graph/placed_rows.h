// SPDX-License-Identifier: Apache-2.0
// The distinct rows of points that are distributed over ranks, in an order in which near rows are close to each other.
// The place of a distinct row is its position in this order. A rank owns a range of places.
//
//     1. Each rank finds the distinct rows of its own points. Ranks compare rows only if their hashes are equal.
//     2. Distinct rows are numbered by their first point, then get their places (partition.h: find_places). If there are
//        few points, the place of a distinct row is its number.
//     3. Each distinct row, and the numbers of the points that have it (its copies), go to the owner of its place.
//
// Memory: a float32 copy of the own distinct rows, twice while they move to other ranks, and 12 bytes for each own point.
#pragma once

#include <cstdint>
#include <vector>

#include "mbsc/input.h"
#include "mbsc/linalg/row_space.h"
#include "mbsc/options.h"

namespace mbsc {

/// If there are more points than this, near distinct rows get near places.
constexpr int64_t most_unplaced_points = 8192;

struct PlacedRows {
  RowSpace space;               ///< over the distinct rows, by place
  Matrix<float> rows;           ///< the own distinct rows
  std::vector<int64_t> starts;  ///< for each own distinct row, the number of points at smaller places; and for the end
  std::vector<int32_t> copies;  ///< the (global) points of own distinct rows, grouped by row; ascending in each group
  int64_t count() const { return space.n(); }
  /// The points that have own distinct row i, as positions in the list of all points ordered by the place of their row.
  Range copies_of(int64_t i) const { return {starts[size_t(i)], starts[size_t(i) + 1]}; }
};

/// `points` are the own rows of `rows`. They are rounded by round_row(). Collective.
PlacedRows place_rows(const Points& points, const RowSpace& rows, Metric metric, uint64_t seed);

}  // namespace mbsc
