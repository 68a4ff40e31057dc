// SPDX-License-Identifier: Apache-2.0
// Compares all pairs of a small set of points (simd/near_pairs.h), and offers near pairs to the lists of both points.
// If the lists are between two sets of points, only the points of the first set have lists.
//
// A pair is near if a lower bound of its distance is not above the farthest distance in the list of one of its points.
// Then the other point goes into a buffer. If a buffer is full, its points are offered to the list (near_lists.h).
// Cost: d multiply-adds for each pair of points with d features. Memory: the packed points, twice, and 2 m + 16
// candidates for each point, with lists of m points.
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
  /// Prepares limits and buffers. The first `with_list` members have lists.
  void open(int64_t with_list);
  simd::PairTile tile();
  void flush(int64_t place);
  void flush_all();

  NearLists& lists_;
  int64_t room_;
  std::vector<int32_t> members_;
  simd::PackedSet rows_, columns_;
  std::vector<float> limits_;  ///< by place
  std::vector<simd::Candidate> buffers_;
  std::vector<int32_t> counts_;  ///< of the candidates in each buffer
  NearLists::Scratch scratch_;
};

/// The median of each coordinate over up to nine of these points. Unlike a mean, it is not moved by outliers.
std::vector<float> center_of(MatrixView<const float> points, std::span<const int32_t> members);
/// Some rows of a matrix, to be packed by simd::pack_set().
simd::RowsOf rows_of(MatrixView<const float> points, std::span<const int32_t> members);
/// Packs points for the expanded distances of a tile.
void pack_members(MatrixView<const float> points, const PackingRule& rule, std::span<const int32_t> members,
                  int64_t width, simd::Packed<float>& out);

}  // namespace mbsc
