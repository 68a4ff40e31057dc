// SPDX-License-Identifier: Apache-2.0
// Square matrices of a few thousand rows, such as the landmark block of Nystrom. The algorithms are blocked, so nearly
// all the work is matrix products (simd/gemm.h). The bits are the same for any number of threads.
#pragma once

#include <Eigen/Core>
#include <optional>

namespace mbsc {

/// Cholesky: A = R'R. R replaces the upper triangle of A; the lower triangle becomes zero. Returns false if A is not
/// positive definite; the content of A is then undefined.
bool cholesky(Eigen::MatrixXd& A, int threads);

/// X <- R^-1 X, or X <- R'^-1 X if `transposed`, for an upper triangular R.
void solve_upper(const Eigen::MatrixXd& R, bool transposed, Eigen::MatrixXd& X, int threads);

/// R^-1 for a small A = R'R with an upper triangular R. Nothing if A is not positive definite, or if the smallest squared
/// pivot is below `least_pivot`. Reads the lower triangle of A.
std::optional<Eigen::MatrixXd> inverse_cholesky(const Eigen::MatrixXd& A, double least_pivot);

/// A X for a symmetric A.
Eigen::MatrixXd multiply_symmetric(const Eigen::MatrixXd& A, const Eigen::MatrixXd& X, int threads);

/// The eigenvalues of the symmetric part of B in descending order, and the eigenvectors as columns.
struct SmallEigen {
  Eigen::VectorXd values;
  Eigen::MatrixXd vectors;
};
SmallEigen eigen_descending(const Eigen::MatrixXd& B);
/// In ascending order, for the symmetric matrix whose lower triangle is that of B.
SmallEigen eigen_ascending(const Eigen::MatrixXd& B);
/// The same for the pencil A - t B. B must be positive definite up to rounding. The vectors G satisfy G'BG = I.
SmallEigen eigen_descending(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B);

/// The orthogonal matrix V of the polar decomposition A = H V, with a symmetric positive semidefinite H: the orthogonal
/// matrix that is nearest to the square matrix A. If A is singular, V is one of several such matrices.
Eigen::MatrixXd orthogonal_factor(const Eigen::MatrixXd& A);

/// The least-squares solution X of A X = B with the least norm; A may be singular.
Eigen::MatrixXd least_squares(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B);

}  // namespace mbsc
