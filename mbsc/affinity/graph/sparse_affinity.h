// SPDX-License-Identifier: Apache-2.0
// SparseAffinity: a graph that is stored as a sparse matrix. A product reads one row of the right-hand sides for each
// stored entry.
//
// The graph has its own order of the points (their places). A rank owns a range of points and a range of places. Products
// take and return rows in the order of the points, so they move all rows twice. The solver chebyshev works by place.
#pragma once

#include <optional>

#include "mbsc/affinity/affinity.h"
#include "mbsc/linalg/sparse_matrix.h"

namespace mbsc {

class SparseAffinity final : public Affinity<float> {
 public:
  /// The graph must be symmetric to the bit, with a zero diagonal and without negative weights. Its rows are the own
  /// places. `points` has the point at each own place; empty on all ranks: the place of a point is its number.
  /// Collective.
  SparseAffinity(SparseMatrix graph, const RowSpace& rows, std::vector<int32_t> points = {});

  void multiply_columns(std::span<const int64_t> columns, MatrixView<const float> C, MatrixView<float> out,
                        const StopToken& stop) const override;
  void multiply(MatrixView<const float> V, MatrixView<float> out, const StopToken& stop) const override;
  std::unique_ptr<const ColumnBlock<float>> take_columns(std::span<const int64_t> columns) const override;
  Degrees degrees(const StopToken& stop, const std::function<void(double)>& progress = {},
                  int64_t neighbors = 0) const override;
  const SparseMatrix* edges() const override { return &graph_; }
  const RowPermutation* places() const override { return order_ ? &*order_ : nullptr; }
  double cost_of_value() const override { return double(entries_) / (double(n()) * double(n())); }

 private:
  class Block;
  /// The point in a column of the graph: own places first, then those of other ranks.
  int64_t point_at(int64_t column) const;

  SparseMatrix graph_;
  std::optional<RowPermutation> order_;
  std::vector<int32_t> places_;        ///< the place of each own point; empty without an order
  std::vector<int32_t> other_points_;  ///< the points at the places of other ranks (SparseMatrix::others)
  int64_t entries_ = 0;                ///< over all ranks
};

}  // namespace mbsc
