// SPDX-License-Identifier: Apache-2.0
// Builds the landmark graph of n points for k clusters: landmarks, search, weights, components.
//
//     landmarks   p centers of k-means on a sample of 10 p points (choose_landmarks.h)
//     edges       each point is joined to its K nearest landmarks (landmark_search.h)
//     weights     exp(-distance^2 / (2 s^2)); s is the mean of the positive distances of all edges. Distances above 10
//                 times their median do not count, because a single far outlier would make s too large
//
// The scale of the graph depends on p, not on n: the graph does not become more local if there are more points.
// A component of the graph with fewer than n/(50 k) points is a speck. Here a landmark counts as separate if no point
// joins it to others with more than a thousandth of a weight: otherwise a single outlier that is its own landmark would
// be a cluster with a smaller cut than any other. The points of specks are isolated: they get the label of the nearest
// cluster. If the graph has more than k components, the k largest are the clusters, and the points of all others are
// isolated, too. If more than a hundredth of the points lie in specks, and K is not given, K is doubled,
// at most twice. Clusters that are really separate have larger components, so they do not cause K to be doubled.
// Reference: Huang, Wang, Wu, Lai, Kwoh, "Ultra-scalable spectral clustering and ensemble clustering", IEEE TKDE 2020.
// Cost: the search; memory: 8 K bytes for each point, and another 8 during the search.
#pragma once

#include <memory>

#include "mbsc/affinity/landmarks/landmark_affinity.h"
#include "mbsc/input.h"
#include "mbsc/result.h"

namespace mbsc {

/// p for n points and k clusters if the option is not set: n/4, at most 3,000, but at least 200 and 20 k.
int64_t automatic_landmarks(int64_t n, int64_t clusters);
/// K if the option is not set, before it is doubled.
constexpr int64_t automatic_nearest_landmarks = 5;
/// K is not doubled beyond this.
constexpr int64_t most_nearest_landmarks = 20;

/// Builds the graph by the options of the plan. Writes to the plan: the number of landmarks, which is smaller if there
/// are too few distinct points, K, and the report on the graph. Throws Stopped after a stop request; with several ranks, if
/// rank 0 has one. Collective.
std::unique_ptr<LandmarkAffinity> make_landmark_graph(const Points& points, const RowSpace& rows, Plan& plan);

/// s, from the squared distances of the edges of own points. Collective.
double landmark_width(const RowSpace& rows, const std::vector<float>& squares, int64_t each);

}  // namespace mbsc
