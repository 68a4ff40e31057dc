// SPDX-License-Identifier: Apache-2.0
// Finds near pairs of points. The distances of a block of pairs are computed and compared with limits in registers, and
// only near pairs are written to memory.
//
// Points are packed relative to a center c: y = x - c. Half of a squared distance is
//     h_ij = |y_i|^2 / 2 + |y_j|^2 / 2 - y_i.y_j
// in float32. The norms are multiplied by 1 - g before, g = (1.5 d + 40) 2^-24 for d features. This makes h_ij a lower
// bound of half of the squared distance in spite of rounding.
// Each point has a place, a limit and a buffer. If h_ij is not above the limit of i, the candidate (h_ij, j) goes into
// the buffer of i, and the other way around.
//
// Layout: the points of one side form panels of panel_rows() points (two vectors), the points of the other side are
// taken six at a time. So 12 accumulators, two vectors of the panel and a broadcast fit into the 16 vector registers of
// AVX2. Cost: d multiply-adds and about four other operations for each pair.
#pragma once

#include <cstdint>
#include <limits>

#include "mbsc/base/aligned.h"

namespace mbsc::simd {

/// Points packed relative to a center. A set has `panels`, or `rows`, or both.
struct PackedSet {
  int64_t count = 0, features = 0;
  AlignedVector<float> panels;  ///< [panel][feature][panel_rows]; any value in the padding
  AlignedVector<float> rows;    ///< row-major; any value in the padding, up to a multiple of group_columns rows
  AlignedVector<float> norms;   ///< (1 - g) |y|^2 / 2; infinite in the padding
};

/// Rows of a row-major matrix.
struct RowsOf {
  const float* data;
  int64_t stride;
  const int32_t* numbers;
  int64_t count, features;
};

/// The layouts that pack_set() makes.
enum class Layout { panels, rows, both };

/// Packs some points relative to `center`.
void pack_set(const RowsOf& points, const float* center, Layout layout, PackedSet& out);

/// A point that may belong into a list, and a lower bound of half of its squared distance.
struct Candidate {
  float bound;
  int32_t point;
};

/// The pairs to compare, and the buffers of their points.
struct PairTile {
  const PackedSet* rows = nullptr;          ///< used as panels
  const PackedSet* columns = nullptr;       ///< used as rows of coordinates
  int64_t row_place = 0, column_place = 0;  ///< the places of the first row and of the first column
  /// Whether rows and columns are the same set. Then each pair is compared once.
  bool is_same = false;
  /// By place, finite or minus infinity. At least 64 numbers must follow the last limit.
  const float* limits = nullptr;
  int32_t* counts = nullptr;     ///< the number of candidates in each buffer, below `room`
  Candidate* buffers = nullptr;  ///< [place][room]; the points of the candidates are places
  int64_t room = 0;
  /// Called if a buffer is full. It must empty the buffer, and it may lower the limit of this place.
  void (*full)(void* context, int64_t place) = nullptr;
  void* context = nullptr;
};
void compare_pairs(const PairTile& tile);

/// For the points [first, first + count) of `points`, which has rows: the positions in `leaders`, which has panels, of
/// the `wanted` points with the smallest h, smallest first. Of equal ones, the first are taken. There must be at least
/// `wanted` leaders. `scratch` is working memory.
void nearest_of(const PackedSet& leaders, const PackedSet& points, int64_t first, int64_t count, int64_t wanted,
                int32_t* out, AlignedVector<float>& scratch);

/// Keeps the candidates whose bound is not above `limit` and whose point is not in the list, and returns their number.
/// Odd elements of `list`, a list of `size` pairs, are points. Up to 16 candidates after the last one are read.
int64_t keep_unknown(const int32_t* list, int64_t size, float limit, Candidate* candidates, int64_t count);

/// Larger than any key of a near point.
constexpr int64_t no_key = std::numeric_limits<int64_t>::max();
/// Sorts different keys into `out` by counting, for each key, the smaller ones. `keys` needs room for 8 more keys.
/// Cost: count^2 comparisons.
void sort_keys(int64_t* keys, int64_t count, int64_t* out);

}  // namespace mbsc::simd
