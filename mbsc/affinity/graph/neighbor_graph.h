// SPDX-License-Identifier: Apache-2.0
// From points to the graph of their neighbors: search, weights, components.
//
// The automatic number of neighbors is m = 2 log2(n) - 8, at least 10. If more than a twentieth of the points lie in
// components that are far smaller than a cluster (fewer than n/(10 k) points), m is doubled, twice at most. Clusters
// that are truly separate have larger components and are not bridged.
// Points of components with fewer than n/(50 k) points (specks) are isolated: they get the label of the nearest cluster.
// So are the points of all components but the k largest: with more components than clusters, these are the clusters.
#pragma once

#include <memory>

#include "mbsc/affinity/graph/sparse_affinity.h"
#include "mbsc/input.h"
#include "mbsc/result.h"

namespace mbsc {

/// The number of neighbors for n points if none is given.
int64_t automatic_neighbors(int64_t n);

/// The affinity of the plan's neighbor graph. Writes to the plan what it found. Only on one rank. Throws Stopped.
std::unique_ptr<SparseAffinity> make_neighbor_graph(const Points& points, const RowSpace& rows, Plan& plan);

}  // namespace mbsc
