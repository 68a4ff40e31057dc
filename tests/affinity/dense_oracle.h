// SPDX-License-Identifier: Apache-2.0
// The full affinity matrix in double, computed from the formula of the kernel. Tests compare products with it.
#pragma once

#include <Eigen/Core>
#include <cmath>

#include "mbsc/affinity/kernel/kernel_affinity.h"
#include "mbsc/base/random.h"

namespace mbsc::testing {

/// The affinity of points i and j by the formula of the kernel, also for i = j.
inline double kernel_value(const Points& points, const Kernel& kernel, int64_t i, int64_t j) {
  double squares = 0, dot = 0, ni = 0, nj = 0;
  for (int64_t f = 0; f < points.features; ++f) {
    const double x = points(i, f), y = points(j, f);
    squares += (x - y) * (x - y);
    dot += x * y;
    ni += x * x;
    nj += y * y;
  }
  switch (kernel.kind) {
    case KernelKind::rbf:
      return std::exp(-kernel.gamma * squares);
    case KernelKind::exponential:
      return std::exp(-kernel.gamma * std::sqrt(squares));
    case KernelKind::cosine:
      return ni > 0 && nj > 0 ? std::max(0.0, dot / std::sqrt(ni * nj)) : 0.0;
  }
  return 0;
}

/// The n x n matrix of affinities, with a zero diagonal.
inline Eigen::MatrixXd dense_affinity(const Points& points, const Kernel& kernel) {
  Eigen::MatrixXd A(points.rows, points.rows);
  for (int64_t i = 0; i < points.rows; ++i)
    for (int64_t j = 0; j < points.rows; ++j) A(i, j) = i == j ? 0 : kernel_value(points, kernel, i, j);
  return A;
}

/// A matrix of standard normal numbers.
template <class T>
Matrix<T> random_matrix(int64_t rows, int64_t cols, uint64_t seed) {
  const Random random(seed, Stream::test);
  Matrix<T> X(rows, cols);
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < cols; ++j) X(i, j) = T(random.normal(i, j));
  return X;
}

template <class T>
Eigen::MatrixXd to_eigen(MatrixView<const T> A) {
  Eigen::MatrixXd E(A.rows, A.cols);
  for (int64_t i = 0; i < A.rows; ++i)
    for (int64_t j = 0; j < A.cols; ++j) E(i, j) = double(A(i, j));
  return E;
}
template <class T>
Eigen::MatrixXd to_eigen(const Matrix<T>& A) {
  return to_eigen(A.view());
}

}  // namespace mbsc::testing
