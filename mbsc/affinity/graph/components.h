// SPDX-License-Identifier: Apache-2.0
// The connected components of a graph. Only on one rank.
#pragma once

#include <cstdint>
#include <vector>

#include "mbsc/linalg/sparse_matrix.h"

namespace mbsc {

struct Components {
  std::vector<int32_t> of;     ///< the component of each point; numbered by decreasing size, then by first point
  std::vector<int64_t> sizes;  ///< descending
  int64_t count() const { return int64_t(sizes.size()); }
};

/// By union-find, in about the time of one product.
Components find_components(const SparseMatrix& graph);

/// Removes all edges of components that have fewer than `fewest` points, and of those after the first `most`, so that
/// their points are isolated. Returns the number of these points.
int64_t isolate_small(const Components& components, int64_t fewest, int64_t most, SparseMatrix& graph);

}  // namespace mbsc
