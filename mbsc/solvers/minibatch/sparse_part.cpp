// SPDX-License-Identifier: Apache-2.0
#include "mbsc/solvers/minibatch/sparse_part.h"

#include <algorithm>

#include "mbsc/base/float64.h"

namespace mbsc {

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

template class SparsePart<float>;
MBSC_FLOAT64(template class SparsePart<double>;)

}  // namespace mbsc
