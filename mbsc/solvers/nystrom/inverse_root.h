// SPDX-License-Identifier: Apache-2.0
// The inverse root of a landmark block K_SS: a matrix C with C C' = (K_SS)^+ (the pseudoinverse).
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

/// Returns C = E e^-1/2, where K_SS = E e E' (`block`). Eigenvalues at the noise level of T are left out.
template <class T>
Eigen::MatrixXd inverse_root(const Eigen::MatrixXd& block);

/// C from the Cholesky factorization of K_SS, which is scaled to a unit diagonal first. To make it positive definite
/// despite rounding errors, 1e-6 of the sum of each row is added to the diagonal (1e-5 if that is not enough). Rounding
/// errors are large in dense rows and almost zero in rows of outliers, and so are the sums. If the block is small, or
/// is not positive definite even then (precomputed matrices), C comes from its eigenvectors.
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
