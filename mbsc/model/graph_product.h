// SPDX-License-Identifier: Apache-2.0
// The affinities of new points to the points of a neighbor graph.
//
// A point x that equals a fitted point i has the edges of i. Any other x has edges to the points j of its list: the m
// nearest of the fitted points, where equal points count once and are represented by the first of them. The edge has
// the weight that it would have if x alone were added to the fitted points:
//     a(x, x_j) = w_xj        if x is nearer to x_j than the last point of the list of j (x would then be in this list),
//     a(x, x_j) = w_xj / 2    otherwise,
// because the graph is (W + W')/2. For fuzzy weights, which depend on the direction, it is (w_xj + w_jx)/2 in the first
// case. With edges = mutual, there is no edge in the second case. The weight w_xj is that of weights.h, with the fitted
// width s and the fitted local widths s_j, rho_j and sigma_j; s_x, rho_x and sigma_x are those of the list of x. In the shared part, N_x is the list of x together with x. If x would be in the list of j, N_j has x in
// place of the last point of that list.
// Two things are left out. Points that have x in their list, but are not in the list of x, are not known without a
// search in the other direction. And points without edges (isolated points, points of specks) take no part, as in the
// fit.
//
// Cost: the search (query_search.h), and m^2 log m comparisons for each new point (shared).
#pragma once

#include "mbsc/affinity/kernel/rectangular_product.h"
#include "mbsc/model.h"

namespace mbsc {

/// Throws InvalidInput unless the parts of a graph of n points fit each other.
void check_graph(const FittedGraph& graph, const SearchIndex& index, int64_t n);

/// out = the affinities of the rows pairs.rows of X to the fitted points, times V. A row that coincides with a fitted
/// point by pairs.zero has the edges of that point. Throws Stopped after a stop request.
void multiply_graph(const Model& model, const Points& X, const RectangularPairs& pairs, MatrixView<const float> V,
                    MatrixView<double> out, int threads, const StopToken& stop);

}  // namespace mbsc
