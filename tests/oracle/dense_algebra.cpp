// SPDX-License-Identifier: Apache-2.0
#include "tests/oracle/dense_algebra.h"

#include <lapacke.h>

#include <Eigen/QR>
#include <Eigen/SVD>
#include <stdexcept>

namespace mbsc::testing {

using Eigen::MatrixXd;
using Eigen::VectorXd;

DenseEigen dense_eigen(MatrixXd A) {
  VectorXd values(A.rows());
  const auto n = lapack_int(A.rows());
  if (LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'V', 'L', n, A.data(), n, values.data()) != 0)
    throw std::runtime_error("dsyevd failed");
  return {values.reverse(), A.rowwise().reverse()};
}

MatrixXd normalized(const MatrixXd& A) {
  const VectorXd s = A.rowwise().sum().unaryExpr([](double x) { return x > 0 ? 1 / std::sqrt(x) : 0.0; });
  return s.asDiagonal() * A * s.asDiagonal();
}

int64_t k_at_gap(const VectorXd& values, int64_t most) {
  int64_t best = 2;
  for (int64_t k = 2; k <= most; ++k)
    if (values[k - 1] - values[k] > values[best - 1] - values[best]) best = k;
  return best;
}

MatrixXd orthonormal_basis(const MatrixXd& A) {
  return Eigen::HouseholderQR<MatrixXd>(A).householderQ() * MatrixXd::Identity(A.rows(), A.cols());
}

double largest_sine(const MatrixXd& U, const MatrixXd& W) {
  // It is the norm of the part of U outside the span of W.
  const MatrixXd Q = orthonormal_basis(W);
  return Eigen::JacobiSVD<MatrixXd>(U - Q * (Q.transpose() * U)).singularValues()[0];
}

double rms_sine(const MatrixXd& U, const MatrixXd& W) {
  return (U - W * (W.transpose() * U)).norm() / std::sqrt(double(U.cols()));
}

double departure(const MatrixXd& W) {
  return (W.transpose() * W - MatrixXd::Identity(W.cols(), W.cols())).cwiseAbs().maxCoeff();
}

}  // namespace mbsc::testing
