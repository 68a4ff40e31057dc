// SPDX-License-Identifier: Apache-2.0
// A multilevel start for graphs whose leading eigenvalues are all close to 1, as for long thin shapes. From a random
// start a filter would need thousands of products.
//
//     coarsen:  a node and some of its strongest neighbors form an aggregate. The coarse graph is A_c = P'AP, with
//               P_ij = 1 if node i is in aggregate j. So A_c has a diagonal, and the degree of an aggregate is the sum
//               of the degrees of its nodes
//     solve:    the coarsest graph, with a few hundred nodes, by dense eigenvectors. If coarsening ends too early: by
//               filters from a random block
//     prolong:  x_i = sqrt(d_i / d_j) x_j for node i of aggregate j, orthonormalized; then two Ritz steps with filters
//
// Cost: about as much as thirty products, because each level has a fraction of the edges of the one before.
#pragma once

#include "mbsc/solvers/solver.h"

namespace mbsc {

/// An orthonormal block of `columns` columns, close to the leading eigenvectors. L must have edges(), on one rank.
/// Throws Stopped if a stop is requested.
Matrix<float> multilevel_start(const Normalized<float>& L, int64_t columns, uint64_t seed, const StopToken& stop);

/// One level of coarsening: the aggregate of each node (-1: a node without edges), and the coarse graph.
struct CoarseGraph {
  std::vector<int32_t> aggregate_of;
  SparseMatrix graph;
};
CoarseGraph coarsen(const SparseMatrix& graph, uint64_t seed, uint64_t level);

}  // namespace mbsc
