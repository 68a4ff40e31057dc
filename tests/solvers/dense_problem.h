// SPDX-License-Identifier: Apache-2.0
// A small problem with a known solution: the points, the operator, and all eigenpairs of the dense matrix.
#pragma once

#include <cmath>
#include <utility>

#include "mbsc/affinity/kernel/kernel_affinity.h"
#include "mbsc/affinity/normalized.h"
#include "tests/affinity/dense_oracle.h"
#include "tests/oracle/dense_algebra.h"

namespace mbsc::testing {

template <class T>
struct DenseProblem {
  DenseProblem(Matrix<T> X_, double gamma, double regularization = 0, int threads = 1)
      : X(std::move(X_)),
        A(Points(X.view()), {KernelKind::rbf, gamma}, RowSpace(X.rows(), threads)),
        L(A, A.degrees({}), regularization) {
    Eigen::MatrixXd whole = dense_affinity(Points(X.view()), {KernelKind::rbf, gamma});
    // The float tile returns zero for values below 2^-126. The oracle must do the same.
    whole = whole.unaryExpr([](double a) { return a < 0x1p-126 ? 0.0 : a; });
    const Eigen::VectorXd d = whole.rowwise().sum();
    const double tau = regularization * d.mean();
    const Eigen::VectorXd s = d.unaryExpr([&](double x) { return x + tau > 0 ? 1 / std::sqrt(x + tau) : 0.0; });
    whole.array() += tau / double(X.rows());
    dense = s.asDiagonal() * whole * s.asDiagonal();
    definite = dense;
    definite.diagonal() += s.cwiseAbs2();
    DenseEigen eigen = dense_eigen(dense);
    values = std::move(eigen.values);
    vectors = std::move(eigen.vectors);
  }

  int64_t n() const { return X.rows(); }
  RowSpace space() const { return RowSpace(n(), 1); }
  /// The rms sine of the angles between the k leading eigenvectors and an orthonormal W of at least k columns.
  double error(const Eigen::MatrixXd& W, int64_t k) const { return rms_sine(vectors.leftCols(k), W); }
  /// |L w - theta w| of a pair, in double.
  double residual(const Eigen::VectorXd& w, double theta) const { return (dense * w - theta * w).norm(); }

  Matrix<T> X;
  KernelAffinity<T> A;
  Normalized<T> L;
  Eigen::MatrixXd dense;     ///< L
  Eigen::MatrixXd definite;  ///< L with a(x, x) = 1 on the diagonal of the affinity
  Eigen::VectorXd values;    ///< of L, descending
  Eigen::MatrixXd vectors;
};

/// `groups` normal clouds in the plane. Their centers are on a line, at distances of `apart`.
template <class T>
Matrix<T> clouds(int64_t n, int64_t groups, double apart, uint64_t seed) {
  Matrix<T> X = random_matrix<T>(n, 2, seed);
  for (int64_t i = 0; i < n; ++i) X(i, 0) += T(apart * double(i % groups));
  return X;
}

}  // namespace mbsc::testing
