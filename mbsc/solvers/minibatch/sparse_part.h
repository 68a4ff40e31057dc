// SPDX-License-Identifier: Apache-2.0
// A symmetric matrix S on the edges of the graph of neighbors (affinity/graph/neighbors.h): S_ij = s_i a_ij s_j. If
// s = (d + tau)^-1/2 as in L (affinity/normalized.h), S contains the largest entries of L, known exactly. No batch
// needs to sample them. For a narrow kernel, most of the noise would come from these entries.
#pragma once

#include <span>
#include <vector>

#include "mbsc/affinity/graph/neighbors.h"
#include "mbsc/input.h"
#include "mbsc/linalg/row_space.h"

namespace mbsc {

template <class T>
class SparsePart {
 public:
  /// `s`: the factors s_i of own rows. `space` and `graph` must outlive this object. Collective.
  SparsePart(const RowSpace& space, const NeighborGraph& graph, std::span<const T> s);

  /// out += factor S V.
  void add(double factor, MatrixView<const T> V, MatrixView<T> out) const {
    add_sparse_product<T>(*space_, *graph_, values_, factor, V, out);
  }

 private:
  const RowSpace* space_;
  const NeighborGraph* graph_;
  std::vector<T> values_;
};

}  // namespace mbsc
