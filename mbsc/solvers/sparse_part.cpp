// SPDX-License-Identifier: Apache-2.0
#include "mbsc/solvers/sparse_part.h"

#include <algorithm>

namespace mbsc {

template <class T>
void add_edges(const RowSpace& space, const NeighborGraph& graph, std::span<const T> values, double factor,
               MatrixView<const T> V, MatrixView<T> out) {
  const int64_t c = V.cols, own = V.rows;
  const Matrix<T> others = graph.others.fetch<T>(space.comm(), V);
  std::vector<uint8_t> is_zero(size_t(own + others.rows()));
  const auto look = [&](const T* row, int64_t i) {
    is_zero[size_t(i)] = std::all_of(row, row + c, [](T value) { return value == T{}; });
  };
  space.for_each_block([&](int64_t, Range rows) {
    for (int64_t i = rows.begin; i < rows.end; ++i) look(V.row(i), i);
  });
  for (int64_t i = 0; i < others.rows(); ++i) look(others.row(i), own + i);
  const auto row_of = [&](int64_t column) { return column < own ? V.row(column) : others.row(column - own); };
  constexpr int64_t ahead = 12;  // neighbors lie anywhere in memory: their rows are called for in time
  const auto edges = int64_t(graph.columns.size());
  space.for_each_block(
      [&](int64_t, Range rows) {
        for (int64_t i = rows.begin; i < rows.end; ++i)
          for (int64_t e = graph.starts[size_t(i)]; e < graph.starts[size_t(i + 1)]; ++e) {
            const int64_t column = graph.columns[size_t(e)];
            if (e + ahead < edges) {
              const T* soon = row_of(graph.columns[size_t(e + ahead)]);
              for (int64_t j = 0; j < c; j += 64 / int64_t(sizeof(T))) __builtin_prefetch(soon + j);
            }
            if (is_zero[size_t(column)]) continue;
            const T value = T(factor) * values[size_t(e)];
            const T* row = row_of(column);
            T* sum = out.row(i);
            for (int64_t j = 0; j < c; ++j) sum[j] += value * row[j];
          }
      },
      40.0 * double(c));
}

template <class T>
SparsePart<T>::SparsePart(const RowSpace& space, const NeighborGraph& graph, std::span<const T> s)
    : space_(&space), graph_(&graph), values_(graph.values.size()) {
  const Matrix<T> others = graph.others.fetch<T>(space.comm(), MatrixView<const T>(s.data(), int64_t(s.size()), 1));
  const auto s_of = [&](int64_t column) {
    return column < int64_t(s.size()) ? s[size_t(column)] : others(column - int64_t(s.size()), 0);
  };
  space_->for_each_block([&](int64_t, Range rows) {
    for (int64_t i = rows.begin; i < rows.end; ++i)
      for (int64_t e = graph.starts[size_t(i)]; e < graph.starts[size_t(i + 1)]; ++e)
        values_[size_t(e)] = s[size_t(i)] * T(graph.values[size_t(e)]) * s_of(graph.columns[size_t(e)]);
  });
}

#define MBSC_INSTANTIATE(T)                                                                                          \
  template void add_edges(const RowSpace&, const NeighborGraph&, std::span<const T>, double, MatrixView<const T>,   \
                          MatrixView<T>);                                                                            \
  template class SparsePart<T>;
MBSC_INSTANTIATE(float)
MBSC_INSTANTIATE(double)
#undef MBSC_INSTANTIATE

}  // namespace mbsc
