// SPDX-License-Identifier: Apache-2.0
// A symmetric matrix on the edges of the graph of neighbors (affinity/neighbors.h): S_ij = s_i a_ij s_j. With the s
// of L these are its largest entries, known exactly: no batch need sample them, and where a kernel is narrow they are
// most of the noise.
#pragma once

#include <span>
#include <vector>

#include "mbsc/affinity/neighbors.h"
#include "mbsc/base/matrix.h"
#include "mbsc/linalg/row_space.h"

namespace mbsc {

/// out += factor * (the matrix with these values on the edges of the graph) V. Rows of V that are zero cost little.
/// Collective: rows of V that other ranks hold are fetched.
template <class T>
void add_edges(const RowSpace& space, const NeighborGraph& graph, std::span<const T> values, double factor,
               MatrixView<const T> V, MatrixView<T> out);

template <class T>
class SparsePart {
 public:
  /// `s` of own rows. Space and graph must outlive this. Collective.
  SparsePart(const RowSpace& space, const NeighborGraph& graph, std::span<const T> s);

  /// out += factor S V.
  void add(double factor, MatrixView<const T> V, MatrixView<T> out) const {
    add_edges<T>(*space_, *graph_, values_, factor, V, out);
  }

 private:
  const RowSpace* space_;
  const NeighborGraph* graph_;
  std::vector<T> values_;
};

}  // namespace mbsc
