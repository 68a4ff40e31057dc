// SPDX-License-Identifier: Apache-2.0
#include "mbsc/affinity/graph/sparse_affinity.h"

#include <algorithm>

namespace mbsc {

SparseAffinity::SparseAffinity(SparseMatrix graph, const RowSpace& rows, std::vector<int32_t> points)
    : Affinity<float>(rows), graph_(std::move(graph)), points_(std::move(points)), places_(points_.size()) {
  for (size_t place = 0; place < points_.size(); ++place) places_[size_t(points_[place])] = int32_t(place);
}

void SparseAffinity::multiply(MatrixView<const float> V, MatrixView<float> out, const StopToken& stop) const {
  throw_if_stopped(stop);
  count_kernel_values(int64_t(graph_.columns.size()));
  if (points_.empty()) return multiply_sparse(rows(), graph_, V, out);
  Matrix<float> placed(n(), V.cols), product(n(), V.cols);
  rows().for_each_block([&](int64_t, Range range) {
    for (int64_t place = range.begin; place < range.end; ++place)
      std::copy_n(V.row(point_at(place)), V.cols, placed.row(place));
  });
  multiply_sparse(rows(), graph_, placed, product);
  rows().for_each_block([&](int64_t, Range range) {
    for (int64_t i = range.begin; i < range.end; ++i) std::copy_n(product.row(place_of(i)), V.cols, out.row(i));
  });
}

void SparseAffinity::multiply_columns(std::span<const int64_t> columns, MatrixView<const float> C,
                                      MatrixView<float> out, const StopToken& stop) const {
  // V has the rows of C at `columns`; all other rows are zero.
  Matrix<float> V(n(), C.cols);
  for (size_t j = 0; j < columns.size(); ++j) std::copy_n(C.row(int64_t(j)), C.cols, V.row(columns[j]));
  multiply(V, out, stop);
}

/// Some columns of the graph. By symmetry they are rows of the graph, and the entries of a row are sorted by column.
class SparseAffinity::Block final : public ColumnBlock<float> {
 public:
  Block(const SparseAffinity& affinity, std::span<const int64_t> columns)
      : ColumnBlock<float>(columns), affinity_(affinity) {}

  void evaluate(Range rows, MatrixView<float> out) const override {
    for (int64_t i = 0; i < rows.size(); ++i) std::fill_n(out.row(i), out.cols, 0.0F);
    const SparseMatrix& graph = affinity_.graph_;
    for (int64_t j = 0; j < int64_t(indices().size()); ++j) {
      const int64_t place = affinity_.place_of(indices()[size_t(j)]);
      for (int64_t e = graph.starts[size_t(place)]; e < graph.starts[size_t(place + 1)]; ++e) {
        const int64_t point = affinity_.point_at(graph.columns[size_t(e)]);
        if (rows.contains(point)) out(point - rows.begin, j) = graph.values[size_t(e)];
      }
    }
  }

 private:
  const SparseAffinity& affinity_;
};

std::unique_ptr<const ColumnBlock<float>> SparseAffinity::take_columns(std::span<const int64_t> columns) const {
  return std::make_unique<Block>(*this, columns);
}

Degrees SparseAffinity::degrees(const StopToken& stop, const std::function<void(double)>&, int64_t neighbors) const {
  throw_if_stopped(stop);
  Degrees degrees(n());
  rows().for_each_block([&](int64_t, Range range) {
    for (int64_t place = range.begin; place < range.end; ++place) {
      const auto point = size_t(point_at(place));
      for (int64_t e = graph_.starts[size_t(place)]; e < graph_.starts[size_t(place + 1)]; ++e) {
        const double value = graph_.values[size_t(e)];
        degrees.sum[point] += value;
        degrees.squares[point] += value * value;
      }
    }
  });
  if (neighbors > 0 && points_.empty()) degrees.graph = std::make_shared<NeighborGraph>(graph_);
  count_kernel_values(int64_t(graph_.columns.size()));
  return degrees;
}

}  // namespace mbsc
