// SPDX-License-Identifier: Apache-2.0
// The connected components of a graph whose rows are distributed over ranks.
#pragma once

#include <cstdint>
#include <vector>

#include "mbsc/linalg/sparse_matrix.h"

namespace mbsc {

struct Components {
  std::vector<int32_t> of;     ///< the component of each own row; components are numbered by size, then by first row
  std::vector<int64_t> sizes;  ///< the number of points of each component, in descending order
  int64_t count() const { return int64_t(sizes.size()); }
};

/// For union-find: the root of the tree of point i. Also halves the path to the root.
int32_t root_of(std::vector<int32_t>& parent, int32_t i);

/// Finds the components by union-find. This takes about as long as one product with the graph. Each rank joins its own
/// rows and their neighbors. All ranks then join the parts of components that share a row. Collective.
Components find_components(const SparseMatrix& graph, const RowSpace& rows);
inline Components find_components(const SparseMatrix& graph) { return find_components(graph, {graph.rows(), 1}); }

/// Isolates points by removing their edges: the points of all components that have fewer than `fewest` points or are
/// not among the `most` largest. Returns the number of these points, over all ranks.
int64_t isolate_small(const Components& components, int64_t fewest, int64_t most, SparseMatrix& graph);

}  // namespace mbsc
