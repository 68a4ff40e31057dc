// SPDX-License-Identifier: Apache-2.0
// Checks a graph that the caller gives, and makes it a symmetric matrix with sorted rows.
//
// Rules for the entries, in this order:
//     - an index that is out of range, and a weight that is negative or not finite, are refused;
//     - entries on the diagonal (loops) are ignored and counted; a_ii is 0;
//     - the weights of entries at the same place are added, and entries of weight 0 are dropped;
//     - without `symmetrize`, a_ij and a_ji may differ by 1e-5 of the larger one, and their mean is used. Otherwise the
//       graph is refused;
//     - weights are float32, limited to the range [1e-30, 1e30].
// Cost: sorting the rows that are not sorted, and a binary search for each entry. With `symmetrize`, the transposed
// matrix instead of the searches. Memory: 20 bytes for each entry; with `symmetrize`, up to 40.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "mbsc/input.h"
#include "mbsc/linalg/row_space.h"
#include "mbsc/linalg/sparse_matrix.h"
#include "mbsc/options.h"

namespace mbsc {

/// The checked entries: in each row, the columns ascend, no column occurs twice, and all weights are positive.
struct CleanGraph {
  std::vector<int64_t> starts;
  std::vector<int32_t> columns;
  std::vector<double> values;
  int64_t loops = 0;       ///< entries on the diagonal, which are not in this graph
  bool by_column = false;  ///< as in Graph
  int64_t nodes() const { return int64_t(starts.size()) - 1; }
};

/// Applies the rules for single entries. Throws InvalidInput if one is broken. For one rank only.
CleanGraph clean_graph(const Graph& graph, const RowSpace& rows);

/// Applies the rule for pairs of entries. Throws AsymmetricGraph if `how` is unset and the graph is not symmetric. For
/// one rank only.
SparseMatrix make_symmetric(const CleanGraph& graph, std::optional<Symmetrize> how, const RowSpace& rows);

}  // namespace mbsc
