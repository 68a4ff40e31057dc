// SPDX-License-Identifier: Apache-2.0
#include "mbsc/affinity/matrix_affinity.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "mbsc/base/require.h"

namespace mbsc {

template <class T>
MatrixAffinity<T>::MatrixAffinity(const Points& matrix, const RowSpace& rows) : Affinity<T>(rows), matrix_(matrix) {
  const int64_t n = rows.n();
  require(matrix.rows == n && matrix.features == n, "a precomputed affinity must be square; got {} x {}", matrix.rows,
          matrix.features);
  double largest = 0, diagonal = 0;
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      const double a = matrix.raw(i, j);
      require(std::isfinite(float(a)) && a >= 0,
              "a precomputed affinity must be finite and not negative; got {} at ({}, {})", a, i + 1, j + 1);
      largest = std::max(largest, a);
    }
    diagonal += matrix.raw(i, i);
  }
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < i; ++j)
      require(std::abs(matrix.raw(i, j) - matrix.raw(j, i)) <= 1e-5 * largest,
              "a precomputed affinity must be symmetric; entry ({}, {}) is {} but ({}, {}) is {}", i + 1, j + 1,
              matrix.raw(i, j), j + 1, i + 1, matrix.raw(j, i));
  self_similarity_ = diagonal > 0 ? diagonal / double(n) : largest;
}

template <class T>
void MatrixAffinity<T>::multiply_columns(std::span<const int64_t> columns, MatrixView<const T> C, MatrixView<T> out,
                                         const StopToken& stop) const {
  this->throw_if_stopped(stop);
  this->rows().for_each_block([&](int64_t, Range range) {
    for (int64_t i = range.begin; i < range.end; ++i) {
      std::fill_n(out.row(i), out.cols, T{});
      for (size_t s = 0; s < columns.size(); ++s) {
        const T a = entry(i, columns[s]);
        for (int64_t c = 0; c < out.cols; ++c) out(i, c) += a * C(int64_t(s), c);
      }
    }
  });
  this->count_kernel_values(this->n() * int64_t(columns.size()));
}

template <class T>
void MatrixAffinity<T>::multiply(MatrixView<const T> V, MatrixView<T> out, const StopToken& stop) const {
  this->rows().for_each_block([&](int64_t, Range range) {
    if (stop.stop_requested()) return;
    for (int64_t i = range.begin; i < range.end; ++i) {
      std::fill_n(out.row(i), out.cols, T{});
      for (int64_t j = 0; j < this->n(); ++j) {
        const T a = entry(i, j);
        for (int64_t c = 0; c < out.cols; ++c) out(i, c) += a * V(j, c);
      }
    }
  });
  this->throw_if_stopped(stop);
  this->count_kernel_values(this->n() * this->n());
}

template <class T>
void MatrixAffinity<T>::evaluate(Range rows, std::span<const int64_t> columns, MatrixView<T> out) const {
  for (int64_t i = 0; i < rows.size(); ++i)
    for (size_t s = 0; s < columns.size(); ++s) out(i, int64_t(s)) = entry(rows.begin + i, columns[s]);
  this->count_kernel_values(rows.size() * int64_t(columns.size()));
}

template <class T>
void MatrixAffinity<T>::evaluate_square(std::span<const int64_t> points, MatrixView<T> out) const {
  for (size_t i = 0; i < points.size(); ++i)
    for (size_t j = 0; j < points.size(); ++j) out(int64_t(i), int64_t(j)) = entry(points[i], points[j]);
}

template <class T>
Degrees MatrixAffinity<T>::degrees(const StopToken& stop, const std::function<void(double)>& progress,
                                   int64_t neighbours) const {
  this->throw_if_stopped(stop);
  Degrees degrees(this->n());
  std::optional<LargestEntries<T>> largest;
  if (neighbours > 0) largest.emplace(this->n(), neighbours);
  this->rows().for_each_block([&](int64_t, Range range) {
    for (int64_t i = range.begin; i < range.end; ++i)
      for (int64_t j = 0; j < this->n(); ++j) {
        const double a = double(entry(i, j));
        degrees.sum[i] += a;
        degrees.squares[i] += a * a;
        if (largest) largest->offer(i, j, T(a));
      }
  });
  if (largest) degrees.graph = std::make_shared<const NeighbourGraph>(largest->graph());
  this->count_kernel_values(this->n() * this->n());
  if (progress) progress(1);
  return degrees;
}

template class MatrixAffinity<float>;
template class MatrixAffinity<double>;

}  // namespace mbsc
