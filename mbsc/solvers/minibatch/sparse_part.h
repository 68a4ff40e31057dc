// SPDX-License-Identifier: Apache-2.0
// A symmetric matrix on the edges of the graph of neighbors (affinity/graph/neighbors.h): S_ij = s_i a_ij s_j. With the
// s of L these are its largest entries, known exactly. No batch needs to sample them. For a narrow kernel they cause
// most of the noise.
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
  /// `s`: for own rows. Space and graph must outlive this object. Collective.
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
