// SPDX-License-Identifier: Apache-2.0
// The largest entries of every row of L, known exactly: S_ij = s_i a_ij s_j on the edges of the graph of neighbours
// (affinity/neighbours.h). No batch need sample them, and where a kernel is narrow they are most of the noise.
#pragma once

#include "mbsc/affinity/normalized.h"

namespace mbsc {

/// out += factor * (the matrix with these values on the edges of the graph) V. Rows of V that are zero cost little.
template <class T>
void add_edges(const RowSpace& space, const NeighbourGraph& graph, std::span<const T> values, double factor,
               MatrixView<const T> V, MatrixView<T> out);

template <class T>
class SparsePart {
 public:
  /// The graph must outlive this.
  SparsePart(const Normalized<T>& L, const NeighbourGraph& graph);

  const NeighbourGraph& graph() const { return *graph_; }
  std::span<const T> values() const { return values_; }
  /// out += factor S V.
  void add(double factor, MatrixView<const T> V, MatrixView<T> out) const {
    add_edges<T>(*space_, *graph_, values_, factor, V, out);
  }

 private:
  const RowSpace* space_;
  const NeighbourGraph* graph_;
  std::vector<T> values_;
};

}  // namespace mbsc
