// SPDX-License-Identifier: Apache-2.0
// Finds the m nearest points of every point. A neighbor graph is built from these lists.
//
// The search works on the distinct rows, so equal rows are searched only once. If it is cheap to compare all pairs, all
// are compared, and the lists are exact. Otherwise only points that share a leaf of an overlapping random partition are
// compared (partition.h). The recall is the share of the true neighbors that are in the lists. It is measured on a
// sample of points by brute force. If it is too low, points that share a leaf of another partition are compared, too.
// This is repeated a few times at most. The lower the recall, the more leaves has the next partition.
//
// Copies of a point are points with an equal row. At most half of the list of a point are copies of it, unless there
// are too few other points. The rest are distinct neighbors, each represented by one of its copies. So a group of many
// equal points stays connected to the points around it.
// Distances are computed from the scaled coordinates, rounded to float32. The lists are the same for any number of
// threads and ranks.
// Over ranks, a rank owns a range of places and has the lists of the points there. The leaves (or the pairs of ranks, if
// all pairs are compared) are divided among the ranks (set_search.h).
// Memory: a float32 copy of the own distinct points, 8 m + 12 bytes for each of them (twice at the end), and for each
// thread the working memory for one leaf. On several ranks: placed_rows.h and set_search.h.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mbsc/affinity/graph/near_lists.h"
#include "mbsc/input.h"
#include "mbsc/linalg/row_space.h"
#include "mbsc/options.h"

namespace mbsc {

/// Points are numbered by place: near points have near places, so that their lists lie close together in memory. Places
/// are distributed over the ranks like points.
struct NeighborLists {
  int64_t each = 0;               ///< m
  std::vector<NearPoint> points;  ///< for each own place: m neighbors, nearest first, with squared distances
  std::vector<int32_t> order;  ///< the point at each own place; empty on all ranks: the place of a point is its number
  double recall = 1;           ///< measured on a sample; 1 if all pairs were compared
  double recall_error = 0;     ///< the standard error of `recall`
  int64_t distinct = 0;        ///< the number of distinct points
  std::span<const NearPoint> of(int64_t i) const { return {points.data() + i * each, size_t(each)}; }
  int64_t size() const { return each == 0 ? 0 : int64_t(points.size()) / each; }
};

struct NeighborSearch {
  int64_t each = 10;     ///< m, less than the number of points
  double recall = 0.95;  ///< the recall to reach; 1: compare all pairs
  uint64_t seed = 0;
  int threads = 1;
  StopToken stop = {};
  Metric metric = Metric::euclidean;
};

/// Whether to compare all pairs of n distinct points. This costs about n^2 (d + 12) / 2 multiply-adds. A partition
/// compares each point with only a few thousand others, but less efficiently.
bool compares_all(int64_t n, int64_t features, double recall);

/// `points` are the own rows of `rows`. All points together must have at least two distinct rows. Throws Stopped after a
/// stop request; with several ranks, if rank 0 has one. Collective.
NeighborLists find_neighbors(const Points& points, const RowSpace& rows, const NeighborSearch& search);
inline NeighborLists find_neighbors(const Points& points, const NeighborSearch& search) {
  return find_neighbors(points, RowSpace(points.rows, search.threads), search);
}

/// The same lists with the points' own numbers. For one rank only.
NeighborLists by_point(const NeighborLists& lists);

}  // namespace mbsc
