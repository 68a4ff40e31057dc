// SPDX-License-Identifier: Apache-2.0
// SparseAffinity: a graph that is stored as a sparse matrix. A product reads one row of the right-hand sides for each
// stored entry. For one rank only.
#pragma once

#include "mbsc/affinity/affinity.h"
#include "mbsc/linalg/sparse_matrix.h"

namespace mbsc {

class SparseAffinity final : public Affinity<float> {
 public:
  /// The graph must be symmetric to the bit, with a zero diagonal and without negative weights.
  SparseAffinity(SparseMatrix graph, const RowSpace& rows) : Affinity<float>(rows), graph_(std::move(graph)) {}

  void multiply_columns(std::span<const int64_t> columns, MatrixView<const float> C, MatrixView<float> out,
                        const StopToken& stop) const override;
  void multiply(MatrixView<const float> V, MatrixView<float> out, const StopToken& stop) const override;
  std::unique_ptr<const ColumnBlock<float>> take_columns(std::span<const int64_t> columns) const override;
  Degrees degrees(const StopToken& stop, const std::function<void(double)>& progress = {},
                  int64_t neighbors = 0) const override;
  const SparseMatrix* edges() const override { return &graph_; }
  double cost_of_value() const override { return double(graph_.columns.size()) / (double(n()) * double(n())); }

 private:
  class Block;
  SparseMatrix graph_;
};

}  // namespace mbsc
