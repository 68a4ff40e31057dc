// SPDX-License-Identifier: Apache-2.0
#include "mbsc/linalg/sparse_matrix.h"

#include <algorithm>

#include "mbsc/base/float64.h"
#include "mbsc/linalg/row_space.h"
#include "mbsc/simd/level.h"
#include "mbsc/simd/sparse.h"

namespace mbsc {

void make_columns_local(const RowSpace& space, SparseMatrix& matrix) {
  const Range own = space.own_rows();
  std::vector<int64_t> others;
  for (const int32_t column : matrix.columns)
    if (!own.contains(column)) others.push_back(column);
  std::sort(others.begin(), others.end());
  others.erase(std::unique(others.begin(), others.end()), others.end());
  const auto local = [&](int64_t column) {
    if (own.contains(column)) return column - own.begin;
    return own.size() + (std::lower_bound(others.begin(), others.end(), column) - others.begin());
  };
  for (int32_t& column : matrix.columns) column = int32_t(local(column));
  matrix.others = RowExchange(space, std::move(others));
}

template <class T>
void add_sparse_product(const RowSpace& space, const SparseMatrix& matrix, std::span<const T> values, double factor,
                        MatrixView<const T> V, MatrixView<T> out) {
  const int64_t c = V.cols, own = V.rows;
  const Matrix<T> others = matrix.others.fetch<T>(space.comm(), V);
  std::vector<uint8_t> is_zero(size_t(own + others.rows()));
  const auto look = [&](const T* row, int64_t i) {
    is_zero[size_t(i)] = std::all_of(row, row + c, [](T value) { return value == T{}; });
  };
  space.for_each_block([&](int64_t, Range rows) {
    for (int64_t i = rows.begin; i < rows.end; ++i) look(V.row(i), i);
  });
  for (int64_t i = 0; i < others.rows(); ++i) look(others.row(i), own + i);
  const auto row_of = [&](int64_t column) { return column < own ? V.row(column) : others.row(column - own); };
  constexpr int64_t ahead = 12;  // neighbors are scattered in memory: prefetch their rows
  const auto edges = int64_t(matrix.columns.size());
  space.for_each_block(
      [&](int64_t, Range rows) {
        for (int64_t i = rows.begin; i < rows.end; ++i)
          for (int64_t e = matrix.starts[size_t(i)]; e < matrix.starts[size_t(i + 1)]; ++e) {
            const int64_t column = matrix.columns[size_t(e)];
            if (e + ahead < edges) {
              const T* soon = row_of(matrix.columns[size_t(e + ahead)]);
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

void multiply_sparse(const RowSpace& space, const SparseMatrix& matrix, MatrixView<const float> V,
                     MatrixView<float> out) {
  simd::choose_level();
  Matrix<float> all;  // the own rows and the others, one after the other
  if (space.comm().size() > 1) {
    all = Matrix<float>(V.rows + matrix.others.size(), V.cols);
    for (int64_t i = 0; i < V.rows; ++i) std::copy_n(V.row(i), V.cols, all.row(i));
    matrix.others.fetch<float>(space.comm(), V, all.row(V.rows));
    V = all;
  }
  const double edges = double(matrix.columns.size()) / double(std::max<int64_t>(1, matrix.rows()));
  space.for_each_block(
      [&](int64_t, Range rows) {
        for (int64_t i = rows.begin; i < rows.end; ++i) {
          const int64_t first = matrix.starts[size_t(i)], count = matrix.starts[size_t(i + 1)] - first;
          simd::sparse_row(matrix.values.data() + first, matrix.columns.data() + first, count, V.data, V.stride, V.cols,
                           out.row(i));
        }
      },
      edges * double(V.cols));
}

#define MBSC_INSTANTIATE(T)                                                                          \
  template void add_sparse_product(const RowSpace&, const SparseMatrix&, std::span<const T>, double, \
                                   MatrixView<const T>, MatrixView<T>);
MBSC_INSTANTIATE(float)
MBSC_FLOAT64(MBSC_INSTANTIATE(double))
#undef MBSC_INSTANTIATE

}  // namespace mbsc
