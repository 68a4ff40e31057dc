// SPDX-License-Identifier: Apache-2.0
#include "mbsc/solvers/sparse_part.h"

#include <algorithm>

#include "mbsc/base/require.h"

namespace mbsc {

template <class T>
void add_edges(const RowSpace& space, const NeighbourGraph& graph, std::span<const T> values, double factor,
               MatrixView<const T> V, MatrixView<T> out) {
  const int64_t c = V.cols;
  std::vector<uint8_t> is_zero(size_t(V.rows));
  space.for_each_block([&](int64_t, Range rows) {
    for (int64_t i = rows.begin; i < rows.end; ++i)
      is_zero[size_t(i)] = std::all_of(V.row(i), V.row(i) + c, [](T value) { return value == T{}; });
  });
  constexpr int64_t ahead = 12;  // neighbours lie anywhere in memory: their rows are called for in time
  const auto edges = int64_t(graph.columns.size());
  space.for_each_block(
      [&](int64_t, Range rows) {
        for (int64_t i = rows.begin; i < rows.end; ++i)
          for (int64_t e = graph.starts[size_t(i)]; e < graph.starts[size_t(i + 1)]; ++e) {
            const int64_t column = graph.columns[size_t(e)];
            if (e + ahead < edges) {
              const T* soon = V.row(graph.columns[size_t(e + ahead)]);
              for (int64_t j = 0; j < c; j += 64 / int64_t(sizeof(T))) __builtin_prefetch(soon + j);
            }
            if (is_zero[size_t(column)]) continue;
            const T value = T(factor) * values[size_t(e)];
            const T* row = V.row(column);
            T* sum = out.row(i);
            for (int64_t j = 0; j < c; ++j) sum[j] += value * row[j];
          }
      },
      40.0 * double(c));
}

template <class T>
SparsePart<T>::SparsePart(const RowSpace& space, const NeighbourGraph& graph, std::span<const T> s)
    : space_(&space), graph_(&graph), values_(graph.values.size()) {
  require(space.comm().size() == 1, "a graph of neighbours over several ranks is not supported yet");
  space_->for_each_block([&](int64_t, Range rows) {
    for (int64_t i = rows.begin; i < rows.end; ++i)
      for (int64_t e = graph.starts[size_t(i)]; e < graph.starts[size_t(i + 1)]; ++e)
        values_[size_t(e)] = s[size_t(i)] * T(graph.values[size_t(e)]) * s[size_t(graph.columns[size_t(e)])];
  });
}

#define MBSC_INSTANTIATE(T)                                                                                          \
  template void add_edges(const RowSpace&, const NeighbourGraph&, std::span<const T>, double, MatrixView<const T>,   \
                          MatrixView<T>);                                                                            \
  template class SparsePart<T>;
MBSC_INSTANTIATE(float)
MBSC_INSTANTIATE(double)
#undef MBSC_INSTANTIATE

}  // namespace mbsc
