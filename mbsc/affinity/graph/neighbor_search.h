// SPDX-License-Identifier: Apache-2.0
// The nearest points of every point: the raw material of a neighbor graph.
//
// Equal rows are joined first, and the search works on the distinct ones. If all pairs are cheap, all are compared, and
// the lists are exact. Otherwise only points that share a leaf of an overlapping random partition are compared
// (partition.h). The recall, the share of true neighbors in the lists, is measured on a sample of points by brute
// force. While it is below the wanted one, another partition is added.
//
// Copies: at most half of a point's list are copies of it. The rest are distinct neighbors, each represented by one of
// its copies. So a group of many equal points stays connected to the points around it.
// Distances are those of the points as scaled, rounded to float32. The lists are the same for any number of threads.
// Memory: a float32 copy of the distinct points, 8 m + 12 bytes for each of them (twice at the end), and a leaf's work
// for each thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mbsc/affinity/graph/near_lists.h"
#include "mbsc/input.h"
#include "mbsc/options.h"

namespace mbsc {

struct NeighborLists {
  int64_t each = 0;               ///< m
  std::vector<NearPoint> points;  ///< n x m: the neighbors of each point, nearest first, with squared distances
  double recall = 1;              ///< measured on a sample; 1 if all pairs were compared
  double recall_error = 0;        ///< its standard error
  int64_t distinct = 0;           ///< distinct points
  std::span<const NearPoint> of(int64_t i) const { return {points.data() + i * each, size_t(each)}; }
  int64_t size() const { return each == 0 ? 0 : int64_t(points.size()) / each; }
};

struct NeighborSearch {
  int64_t each = 10;     ///< m, less than the number of points
  double recall = 0.95;  ///< to be reached; 1: compare all pairs
  uint64_t seed = 0;
  int threads = 1;
  StopToken stop = {};
};

/// Throws Stopped. The points must have at least two distinct rows.
NeighborLists find_neighbors(const Points& points, const NeighborSearch& search);

}  // namespace mbsc
