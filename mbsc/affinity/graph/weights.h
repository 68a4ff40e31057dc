// SPDX-License-Identifier: Apache-2.0
// The weights of a neighbor graph. Let j be a point in the list of i, at distance d. The directed weight w_ij is
//     gaussian         exp(-d^2 / (2 s^2)),  with one width s: `edge_width` times the mean of the positive distances in
//                      all lists
//     shared           |N_i and N_j| / |N_i or N_j|,  where N_i is the list of i together with i itself
//     gaussian_shared  the product of these two
//     binary           1
//     local            exp(-d^2 / (s_i s_j)),  with s_i: the distance from i to its seventh neighbor, or to its last
//                      neighbor if it has fewer
//     fuzzy            exp(-max(0, d - rho_i) / sigma_i),  UMAP's membership. rho_i is the smallest positive distance in
//                      the list of i. sigma_i is found by bisection: the weights of the list of m points add up to
//                      log2(m). It is at least a thousandth of the mean distance of the list
// The graph is (W + W')/2, for fuzzy weights too (UMAP itself takes W + W' - W o W'). With edges = mutual, it contains
// only pairs of points that are in each other's lists. A single width preserves a region of low density between two
// dense regions; local and fuzzy widths hide it.
// Weights below 1e-30 become zero, except the weight of the nearest neighbor, which becomes 1e-30. So no point loses
// all of its edges because of underflow.
// Cost, for lists of m points: m^2 comparisons for each point (shared), or about 60 m exponentials (fuzzy). Memory: twice
// the edges while the graph is made symmetric.
//
// L. McInnes, J. Healy, J. Melville, "UMAP: uniform manifold approximation and projection for dimension reduction", 2018.
#pragma once

#include "mbsc/affinity/graph/neighbor_search.h"
#include "mbsc/linalg/row_space.h"
#include "mbsc/linalg/sparse_matrix.h"
#include "mbsc/options.h"

namespace mbsc {

/// The mean of the positive distances in all lists. Collective.
double neighbor_width(const NeighborLists& lists, const RowSpace& rows);

/// Weights below this become zero, except the weight of the nearest neighbor, which becomes this.
constexpr float least_weight = 1e-30F;
inline bool is_shared(NeighborWeights weights) {
  return weights == NeighborWeights::shared || weights == NeighborWeights::gaussian_shared;
}
/// How many values of its own each point has, in FittedGraph::local.
inline int64_t local_values(NeighborWeights weights) {
  return weights == NeighborWeights::local ? 1 : weights == NeighborWeights::fuzzy ? 2 : 0;
}
/// For all weights except fuzzy: the factor of the weight that depends on the distance d. `square` is d^2, `width` is s,
/// and the local squares are s_i^2 and s_j^2, which only local weights use.
double distance_weight(NeighborWeights weights, double square, double width, double local_i, double local_j);
/// s_i^2, from the list of i.
double local_square(std::span<const NearPoint> list);
/// rho_i and sigma_i of fuzzy weights.
struct FuzzyScale {
  double rho = 0, sigma = 0;
};
/// From the list of i.
FuzzyScale fuzzy_scale(std::span<const NearPoint> list);
/// The fuzzy weight of a point at the squared distance `square`.
double fuzzy_weight(double square, const FuzzyScale& scale);

/// Builds the graph. `width` is s; only Gaussian weights use it. Over ranks, the neighborhoods of neighbors on other ranks
/// are fetched, and directed edges that end there are sent there. Collective.
SparseMatrix weigh_neighbors(const NeighborLists& lists, NeighborWeights weights, double width, EdgeRule edges,
                             const RowSpace& rows);

}  // namespace mbsc
