// SPDX-License-Identifier: Apache-2.0
// Compares all pairs of a small set of points with the tile (simd/tile.h), and offers near pairs to the lists of both
// points. If the lists are between two sets of points, only the points of the first set have lists.
//
// The tile computes squared distances t = |y_i|^2 + |y_j|^2 - 2 y_i.y_j in float32, with y = x - center. The norms are
// multiplied by 1 - g, g = (1.5 d + 40) 2^-24. This makes t a lower bound of the squared distance in spite of rounding.
// Point j goes into the buffer of i if t is not above the farthest distance in the list of i, and the other way around.
// If a buffer is full, its points are offered to the list, which computes their distances from direct differences
// (near_lists.h).
// Cost: d multiply-adds for each pair of points with d features. Memory: the packed points, twice, and 2 m + 16 numbers
// for each point, with lists of m points.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mbsc/affinity/graph/near_lists.h"
#include "mbsc/affinity/pass/packing.h"

namespace mbsc {

/// The search and working memory of one thread. The place of a point is its position in the set that is compared.
class PairSearch {
 public:
  explicit PairSearch(NearLists& lists) : lists_(lists), room_(2 * lists.each() + 16) {}

  /// Compares all pairs of these points.
  void run(std::span<const int32_t> members);
  /// Compares each of `first`, rows of lists.points(), with each of `second`, rows of lists.others(). If these are the
  /// same matrix, the two sets must not have a point in common.
  void run(std::span<const int32_t> first, std::span<const int32_t> second);

 private:
  struct Blocks {
    int64_t count = 0;
    std::vector<simd::Packed<float>> rows, columns;
  };
  struct Pair {
    PairSearch* search;
    int64_t row, column;  ///< the places of the first row and of the first column of a tile
    bool is_diagonal;
  };
  void open(std::span<const int32_t> members, int64_t border);
  void search(int64_t row_block, int64_t column_block);
  static void offer(void* context, int64_t row, int64_t column, float value);
  void push(int64_t place, int64_t other);
  void flush(int64_t place);
  void flush_all();

  NearLists& lists_;
  int64_t room_;
  std::vector<int32_t> members_;
  PackingRule rule_;
  Blocks blocks_;
  AlignedVector<float> least_;    ///< the threshold of each member: about minus its farthest distance; padding infinite
  std::vector<int32_t> waiting_;  ///< places of candidates, `room_` for each member
  std::vector<int32_t> counts_;
  std::vector<int32_t> candidates_;
  std::vector<float> scratch_;
  AlignedVector<float> tile_scratch_;
};

/// g: the share that is subtracted from the norms, so that a tile computes lower bounds of squared distances.
float rounding_margin(int64_t features);
/// The median of each coordinate over up to nine of these points. Unlike a mean, it is not moved by outliers.
std::vector<double> center_of(MatrixView<const float> points, std::span<const int32_t> members);
/// Packs points for expanded distances.
void pack_members(MatrixView<const float> points, const PackingRule& rule, std::span<const int32_t> members,
                  int64_t width, simd::Packed<float>& out);

}  // namespace mbsc
