// SPDX-License-Identifier: Apache-2.0
#include "mbsc/affinity/graph/sparse_affinity.h"

#include <algorithm>
#include <numeric>

namespace mbsc {

SparseAffinity::SparseAffinity(SparseMatrix graph, const RowSpace& rows, std::vector<int32_t> points)
    : Affinity<float>(rows), graph_(std::move(graph)) {
  const Comm& comm = rows.comm();
  const auto mine = int64_t(graph_.columns.size());
  for (const int64_t entries : comm.gather<int64_t>(std::span<const int64_t>(&mine, 1))) entries_ += entries;
  other_points_.assign(graph_.others.rows().begin(), graph_.others.rows().end());
  if (!comm.any(!points.empty())) return;
  graph_.others.fetch<int32_t>(comm, MatrixView<const int32_t>(points.data(), int64_t(points.size()), 1),
                               other_points_.data());
  places_.resize(points.size());
  std::iota(places_.begin(), places_.end(), int32_t(rows.own_rows().begin));
  order_.emplace(rows, std::move(points));
  places_ = order_->to_rows<int32_t>(comm, places_);
}

int64_t SparseAffinity::point_at(int64_t column) const {
  const int64_t own = graph_.rows();
  if (column >= own) return other_points_[size_t(column - own)];
  return order_ ? order_->rows()[size_t(column)] : rows().own_rows().begin + column;
}

void SparseAffinity::multiply(MatrixView<const float> V, MatrixView<float> out, const StopToken& stop) const {
  throw_if_stopped(stop);
  count_kernel_values(int64_t(graph_.columns.size()));
  if (!order_) return multiply_sparse(rows(), graph_, V, out);
  Matrix<float> product(V.rows, V.cols);
  multiply_sparse(rows(), graph_, order_->to_places<float>(rows().comm(), V), product);
  product = order_->to_rows<float>(rows().comm(), product);
  rows().for_each_block([&](int64_t, Range range) {
    for (int64_t i = range.begin; i < range.end; ++i) std::copy_n(product.row(i), V.cols, out.row(i));
  });
}

void SparseAffinity::multiply_columns(std::span<const int64_t> columns, MatrixView<const float> C,
                                      MatrixView<float> out, const StopToken& stop) const {
  // V has the rows of C at `columns`; all other rows are zero.
  const Range own = rows().own_rows();
  Matrix<float> V(own.size(), C.cols);
  for (size_t j = 0; j < columns.size(); ++j)
    if (own.contains(columns[j])) std::copy_n(C.row(int64_t(j)), C.cols, V.row(columns[j] - own.begin));
  multiply(V, out, stop);
}

/// Some columns of the graph. By symmetry they are rows of the graph. The owner of such a row sends its entries to the
/// owners of the points.
class SparseAffinity::Block final : public ColumnBlock<float> {
 public:
  Block(const SparseAffinity& affinity, std::span<const int64_t> columns) : ColumnBlock<float>(columns) {
    const RowSpace& space = affinity.rows();
    const Range own = space.own_rows();
    const SparseMatrix& graph = affinity.graph_;
    std::vector<int32_t> places;
    for (const int64_t point : columns)
      if (own.contains(point))
        places.push_back(affinity.order_ ? affinity.places_[size_t(point - own.begin)] : int32_t(point));
    places = space.comm().gather<int32_t>(places);  // columns ascend, and so do the rows of ranks
    std::vector<std::vector<Entry>> parts(static_cast<size_t>(space.comm().size()));
    for (size_t j = 0; j < places.size(); ++j) {
      if (!own.contains(places[j])) continue;
      const auto place = size_t(places[j] - own.begin);
      for (int64_t e = graph.starts[place]; e < graph.starts[place + 1]; ++e) {
        const int64_t point = affinity.point_at(graph.columns[size_t(e)]);
        parts[size_t(space.rank_of_row(point))].push_back({int32_t(point), int32_t(j), graph.values[size_t(e)]});
      }
    }
    for (const auto& part : exchange_parts<Entry>(space.comm(), std::move(parts)))
      for (const Entry& entry : part) entries_.push_back({entry.row - int32_t(own.begin), entry.column, entry.value});
    std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) { return a.row < b.row; });
  }

  void evaluate(Range rows, MatrixView<float> out) const override {
    for (int64_t i = 0; i < rows.size(); ++i) std::fill_n(out.row(i), out.cols, 0.0F);
    const auto first = std::partition_point(entries_.begin(), entries_.end(),
                                            [&](const Entry& entry) { return entry.row < rows.begin; });
    for (auto entry = first; entry < entries_.end() && entry->row < rows.end; ++entry)
      out(entry->row - rows.begin, entry->column) = entry->value;
  }

 private:
  struct Entry {
    int32_t row, column;
    float value;
  };
  std::vector<Entry> entries_;  ///< of own rows (local numbers), ascending
};

std::unique_ptr<const ColumnBlock<float>> SparseAffinity::take_columns(std::span<const int64_t> columns) const {
  return std::make_unique<Block>(*this, columns);
}

Degrees SparseAffinity::degrees(const StopToken& stop, const std::function<void(double)>&, int64_t neighbors) const {
  throw_if_stopped(stop);
  Degrees degrees(graph_.rows());
  rows().for_each_block([&](int64_t, Range range) {
    for (int64_t i = range.begin; i < range.end; ++i)
      for (int64_t e = graph_.starts[size_t(i)]; e < graph_.starts[size_t(i + 1)]; ++e) {
        const double value = graph_.values[size_t(e)];
        degrees.sum[size_t(i)] += value;
        degrees.squares[size_t(i)] += value * value;
      }
  });
  if (order_) {
    degrees.sum = order_->to_rows<double>(rows().comm(), degrees.sum);
    degrees.squares = order_->to_rows<double>(rows().comm(), degrees.squares);
  }
  if (neighbors > 0 && !order_) degrees.graph = std::make_shared<NeighborGraph>(graph_);
  count_kernel_values(int64_t(graph_.columns.size()));
  return degrees;
}

}  // namespace mbsc
