// SPDX-License-Identifier: Apache-2.0
// A multilevel start for graphs whose leading eigenvalues crowd near 1, as those of long thin shapes do: a filter alone
// would need thousands of products.
//
//     coarsen:  a node and some of its strongest neighbors form an aggregate (coarsen.h)
//     solve:    the coarsest graph, of a few hundred nodes, by dense eigenvectors
//     prolong:  x_i = sqrt(d_i / d_j) x_j for node i of aggregate j, orthonormalized, then Ritz steps and filters
//
// The error of a prolonged block is mostly rough: it changes from one aggregate to the next. So the first filter of a
// level is short and damps only the rough part, and each following one is twice as long and reaches smoother parts.
//
// Over ranks, the large levels are distributed like the given graph. Levels of at most 16,384 nodes are gathered on all
// ranks, which do the same work on them.
// Cost: about as much as fifty products, because each level has a fraction of the edges of the one before.
#pragma once

#include "mbsc/solvers/chebyshev/operator.h"
#include "mbsc/solvers/solver.h"

namespace mbsc {

struct MultilevelStart {
  Matrix<float> block;   ///< orthonormal, close to the leading eigenvectors
  int64_t products = 0;  ///< with the given graph; coarser graphs do not count
};

/// A block of `columns` columns; its first k columns matter most. `L` is the operator of the graph, whose own nodes have
/// these degrees. `is_placed`: near nodes have near numbers. If they do not, this must be the only rank. Throws Stopped.
/// Collective.
MultilevelStart multilevel_start(const GraphOperator& L, const SparseMatrix& graph, std::span<const double> degrees,
                                 bool is_placed, int64_t k, int64_t columns, uint64_t seed, const StopToken& stop);

}  // namespace mbsc
