// SPDX-License-Identifier: Apache-2.0
// The inverse root of a landmark block K_SS: a matrix C with C C' = (K_SS)^+, applied by products.
#pragma once

#include <Eigen/Core>

#include "mbsc/input.h"

namespace mbsc {

template <class T>
using RowMajor = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

template <class T>
Eigen::MatrixXd widen(const Matrix<T>& A) {
  return Eigen::Map<const RowMajor<T>>(A.data(), A.rows(), A.cols()).template cast<double>();
}
template <class T>
Matrix<T> narrow(const Eigen::MatrixXd& A) {
  Matrix<T> out(A.rows(), A.cols());
  Eigen::Map<RowMajor<T>>(out.data(), A.rows(), A.cols()) = A.template cast<T>();
  return out;
}

/// E e^-1/2 over the eigenvalues above the noise of T: (K_SS)^+ = result * result'.
template <class T>
Eigen::MatrixXd inverse_root(const Eigen::MatrixXd& block);

/// C by Cholesky of K_SS scaled to a unit diagonal. First the diagonal is raised by 1e-6 of the sum of each row, which
/// covers what rounding may have removed from it: much in dense rows, almost nothing in rows of outliers. If the block
/// is small, or not definite even then (precomputed matrices), C comes from its eigenvectors.
class InverseRoot {
 public:
  template <class T>
  InverseRoot(const Matrix<T>& square, int threads);

  int64_t columns() const { return upper_.size() > 0 ? upper_.cols() : general_.cols(); }
  /// C X.
  Eigen::MatrixXd apply(const Eigen::MatrixXd& X) const;
  /// C'X.
  Eigen::MatrixXd apply_transposed(const Eigen::MatrixXd& X) const;

 private:
  int threads_;
  Eigen::MatrixXd upper_, general_;
};

}  // namespace mbsc
