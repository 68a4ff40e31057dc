// SPDX-License-Identifier: Apache-2.0
// Square matrices of a few thousand rows: Nystrom's landmark block. Blocked, so that nearly all of it is products
// (simd/gemm.h); the same bits for any number of threads.
#pragma once

#include <Eigen/Dense>

namespace mbsc {

/// A = R'R; R takes the upper triangle of A, the lower one is zero. False where A is not definite; A is then spoilt.
bool cholesky(Eigen::MatrixXd& A, int threads);

/// X <- R^-1 X, or R'^-1 X, for an upper triangular R.
void solve_upper(const Eigen::MatrixXd& R, bool transposed, Eigen::MatrixXd& X, int threads);

/// A X for a symmetric A.
Eigen::MatrixXd multiply_symmetric(const Eigen::MatrixXd& A, const Eigen::MatrixXd& X, int threads);

}  // namespace mbsc
