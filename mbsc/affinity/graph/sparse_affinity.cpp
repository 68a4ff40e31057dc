// SPDX-License-Identifier: Apache-2.0
#include "mbsc/affinity/graph/sparse_affinity.h"

#include <algorithm>

namespace mbsc {

void SparseAffinity::multiply(MatrixView<const float> V, MatrixView<float> out, const StopToken& stop) const {
  throw_if_stopped(stop);
  multiply_sparse(rows(), graph_, V, out);
  count_kernel_values(int64_t(graph_.columns.size()));
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
  Block(const SparseMatrix& graph, std::span<const int64_t> columns) : ColumnBlock<float>(columns), graph_(graph) {}

  void evaluate(Range rows, MatrixView<float> out) const override {
    for (int64_t i = 0; i < rows.size(); ++i) std::fill_n(out.row(i), out.cols, 0.0F);
    for (int64_t j = 0; j < int64_t(indices().size()); ++j) {
      const int64_t point = indices()[size_t(j)];
      const auto first = graph_.columns.begin() + graph_.starts[size_t(point)];
      const auto last = graph_.columns.begin() + graph_.starts[size_t(point + 1)];
      for (auto at = std::lower_bound(first, last, rows.begin); at < last && *at < rows.end; ++at)
        out(*at - rows.begin, j) = graph_.values[size_t(at - graph_.columns.begin())];
    }
  }

 private:
  const SparseMatrix& graph_;
};

std::unique_ptr<const ColumnBlock<float>> SparseAffinity::take_columns(std::span<const int64_t> columns) const {
  return std::make_unique<Block>(graph_, columns);
}

Degrees SparseAffinity::degrees(const StopToken& stop, const std::function<void(double)>&, int64_t neighbors) const {
  throw_if_stopped(stop);
  Degrees degrees(n());
  rows().for_each_block([&](int64_t, Range range) {
    for (int64_t i = range.begin; i < range.end; ++i)
      for (int64_t e = graph_.starts[size_t(i)]; e < graph_.starts[size_t(i + 1)]; ++e) {
        const double value = graph_.values[size_t(e)];
        degrees.sum[size_t(i)] += value;
        degrees.squares[size_t(i)] += value * value;
      }
  });
  if (neighbors > 0) degrees.graph = std::make_shared<NeighborGraph>(graph_);
  count_kernel_values(int64_t(graph_.columns.size()));
  return degrees;
}

}  // namespace mbsc
