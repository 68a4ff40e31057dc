// SPDX-License-Identifier: Apache-2.0
// SparseAffinity: a graph that is stored as a sparse matrix. A product reads one row of the right-hand sides for each
// stored entry. For one rank only.
#pragma once

#include "mbsc/affinity/affinity.h"
#include "mbsc/linalg/sparse_matrix.h"

namespace mbsc {

class SparseAffinity final : public Affinity<float> {
 public:
  /// The graph must be symmetric to the bit, with a zero diagonal and without negative weights. `points` has the point at
  /// each place of the graph; empty: the place of a point is its number.
  SparseAffinity(SparseMatrix graph, const RowSpace& rows, std::vector<int32_t> points = {});

  void multiply_columns(std::span<const int64_t> columns, MatrixView<const float> C, MatrixView<float> out,
                        const StopToken& stop) const override;
  void multiply(MatrixView<const float> V, MatrixView<float> out, const StopToken& stop) const override;
  std::unique_ptr<const ColumnBlock<float>> take_columns(std::span<const int64_t> columns) const override;
  Degrees degrees(const StopToken& stop, const std::function<void(double)>& progress = {},
                  int64_t neighbors = 0) const override;
  const SparseMatrix* edges() const override { return &graph_; }
  std::span<const int32_t> places() const override { return points_; }
  double cost_of_value() const override { return double(graph_.columns.size()) / (double(n()) * double(n())); }

 private:
  class Block;
  int64_t place_of(int64_t point) const { return places_.empty() ? point : places_[size_t(point)]; }
  int64_t point_at(int64_t place) const { return points_.empty() ? place : points_[size_t(place)]; }

  SparseMatrix graph_;
  std::vector<int32_t> points_, places_;  ///< the point at each place, and the place of each point
};

}  // namespace mbsc
