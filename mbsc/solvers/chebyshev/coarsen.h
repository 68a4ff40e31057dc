// SPDX-License-Identifier: Apache-2.0
// One level of coarsening: a node and some of its strongest neighbors form an aggregate. The coarse graph is A_c = P'AP
// with P_ij = 1 if node i is in aggregate j, so A_c has a diagonal, and the degree of an aggregate is the sum of its
// nodes'.
//
// If near nodes have near numbers, aggregates can be formed inside each row block (base/row_blocks.h) separately. Threads
// and ranks then work in parallel, and the aggregates do not depend on them. Otherwise every rank needs the whole
// graph, and forms all aggregates itself, one by one.
// Reference: Vanek, Mandel, Brezina, "Algebraic multigrid by smoothed aggregation", Computing 1996.
#pragma once

#include <cstdint>
#include <vector>

#include "mbsc/linalg/row_space.h"
#include "mbsc/linalg/sparse_matrix.h"

namespace mbsc {

struct CoarseGraph {
  std::vector<int32_t> aggregate_of;  ///< of each own node: an aggregate of this rank, counted from 0; -1: no edges
  Range own;                          ///< the numbers of this rank's aggregates among all aggregates
  int64_t total = 0;                  ///< aggregates of all ranks
  SparseMatrix graph;                 ///< the rows of this rank's aggregates. Columns are numbers among all aggregates
};

/// `space` distributes the nodes. Without `in_blocks`, this rank must own all nodes. Collective.
CoarseGraph coarsen(const SparseMatrix& graph, const RowSpace& space, bool in_blocks, uint64_t seed, uint64_t level);

/// The rows of a graph that each rank has, one rank after the other, distributed by `target` instead; on every rank if
/// `target` is a space of one rank. `graph` has columns of global numbers. The result has local ones, ready for products.
/// Collective over `comm`.
SparseMatrix redistribute(const Comm& comm, const SparseMatrix& graph, const RowSpace& target);

/// The same graph with global column numbers. `space` distributes its rows.
SparseMatrix with_global_columns(const SparseMatrix& graph, const RowSpace& space);

}  // namespace mbsc
