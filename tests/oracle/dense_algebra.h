// SPDX-License-Identifier: Apache-2.0
// Dense linear algebra in double, which the tests compare with: eigenpairs by LAPACK, angles between subspaces by Eigen.
// It is compiled once for all test programs, because compiling Eigen's decompositions in each test takes long.
#pragma once

#include <Eigen/Core>

namespace mbsc::testing {

struct DenseEigen {
  Eigen::VectorXd values;  ///< descending
  Eigen::MatrixXd vectors;
};
/// All eigenpairs of a symmetric matrix, of which the lower triangle is read.
DenseEigen dense_eigen(Eigen::MatrixXd A);

/// S A S with S = diag(A 1)^-1/2, and 0 for rows that sum to 0.
Eigen::MatrixXd normalized(const Eigen::MatrixXd& A);

/// The k in [2, most] with the widest gap between the eigenvalues k and k + 1.
int64_t k_at_gap(const Eigen::VectorXd& values, int64_t most);

/// An orthonormal basis of the span of the columns of A, which must be linearly independent.
Eigen::MatrixXd orthonormal_basis(const Eigen::MatrixXd& A);

/// The sine of the largest principal angle between the span of U, which is orthonormal, and the span of W.
double largest_sine(const Eigen::MatrixXd& U, const Eigen::MatrixXd& W);

/// The rms sine of the principal angles between the spans of U and W. Both must be orthonormal.
double rms_sine(const Eigen::MatrixXd& U, const Eigen::MatrixXd& W);

/// The largest entry of |W'W - I|.
double departure(const Eigen::MatrixXd& W);

}  // namespace mbsc::testing
