// SPDX-License-Identifier: Apache-2.0
// Builds the graph of neighbors of n points for k clusters: search, weights, components.
//
// The automatic number of neighbors m grows with n, and is at least 10: 2 log2(n) - 8 for up to 4 features, because thin
// shapes of many points need a graph that is not too local, and 1.5 log2(n) - 12 for more. If more than a twentieth of
// the points lie in components that are far smaller than a cluster (fewer than n/(10 k) points), m is doubled, at most
// twice. Clusters that are really separate have larger components, so they do not cause m to be doubled.
// The automatic width of the Gaussian, as a multiple of the mean distance of neighbors, is 1 for more than 4 features.
// For up to 4 features it is 0.5 for up to 10,000 points and rises to 1 at a million points. In few dimensions, distances
// tell dense regions from sparse ones, and a narrow Gaussian lets the cut follow a sparse region. The more points there
// are, the shorter are the distances, and a narrow Gaussian would follow chance.
// A component with fewer than n/(50 k) points is a speck. The points of specks are isolated: they get the label of the
// nearest cluster. If there are more than k components, the k largest are the clusters, and the points of all others
// are isolated, too (unless landmarks replace the graph: flow/affinity.h).
// The automatic regularization is 0 if there are at least k large components, which are not specks. Otherwise it is
// min(0.0001, 1/n): without it, a few outliers with weak edges would be a cluster. It moves all eigenvalues but the first
// away from 1 by about as much. The more points there are, the closer to 1 are the eigenvalues of long shapes, so a
// constant would drown them.
#pragma once

#include <memory>

#include "mbsc/affinity/graph/sparse_affinity.h"
#include "mbsc/input.h"
#include "mbsc/result.h"

namespace mbsc {

/// The number of neighbors for n points of this many features, if the option is not set.
int64_t automatic_neighbors(int64_t n, int64_t features);

/// The width of the Gaussian weights / mean distance of neighbors, if the option is not set.
double automatic_edge_width(int64_t n, int64_t features);

/// Builds the neighbor graph by the options of the plan. Writes the number of neighbors, the regularization if it is
/// automatic, and the report on the graph to the plan. If `kept` is not null, also sets it to what new points need; this
/// works on one rank only. Throws Stopped after a stop request. Collective.
std::unique_ptr<SparseAffinity> make_neighbor_graph(const Points& points, const RowSpace& rows, Plan& plan,
                                                    std::shared_ptr<const FittedGraph>* kept = nullptr);

}  // namespace mbsc
