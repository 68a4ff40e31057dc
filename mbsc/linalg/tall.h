// SPDX-License-Identifier: Apache-2.0
// Tall-skinny algebra: n x c matrices of float or double, c small, rows shared among threads and ranks.
// Everything that is summed over rows is summed in double, in block order; small results are Eigen matrices,
// equal on all ranks. Cost: gram and multiply 2 n c c' operations.
#pragma once

#include <Eigen/Dense>
#include <span>
#include <vector>

#include "mbsc/base/matrix.h"
#include "mbsc/base/random.h"
#include "mbsc/linalg/row_space.h"

namespace mbsc {

/// A'B.
template <class T>
Eigen::MatrixXd gram(const RowSpace& space, MatrixView<const T> A, MatrixView<const T> B);

/// A'B with sums of 256 rows in T: twice as fast, off by a few roundings of T, and so not for orthonormalizing.
template <class T>
Eigen::MatrixXd quick_gram(const RowSpace& space, MatrixView<const T> A, MatrixView<const T> B);

/// The same where most rows of B are zero: these are passed over.
template <class T>
Eigen::MatrixXd quick_gram_of_few_rows(const RowSpace& space, MatrixView<const T> A, MatrixView<const T> B);

/// out = A M, for a small M. `out` may be A itself when M is square or narrows.
template <class T>
void multiply(const RowSpace& space, MatrixView<const T> A, const Eigen::MatrixXd& M, MatrixView<T> out);

/// out -= A M.
template <class T>
void subtract(const RowSpace& space, MatrixView<const T> A, const Eigen::MatrixXd& M, MatrixView<T> out);

/// The 2-norm of each column of A - B diag(values): with B = X and A = LX, the residuals of eigenpairs.
template <class T>
std::vector<double> residual_norms(const RowSpace& space, MatrixView<const T> A, MatrixView<const T> B,
                                   const Eigen::VectorXd& values);

/// Independent standard normal entries: element (global row i, column j) is a function of (key, i, j) alone.
template <class T>
void fill_normal(const RowSpace& space, MatrixView<T> out, const Random& random, uint64_t key);

/// The given (global, ascending) rows of W, the same on every rank.
template <class T>
Matrix<T> gather_rows(const RowSpace& space, MatrixView<const T> W, std::span<const int64_t> rows);

/// Copies columns.
template <class T>
void copy(const RowSpace& space, MatrixView<const T> from, MatrixView<T> to);

/// Orthonormalizes the columns of W in place, Cholesky-QR twice on a double Gram matrix. Where that is near
/// singular, an eigendecomposition of the scaled Gram matrix orders the directions first, and those that are
/// numerically dependent are dropped: the first `rank` columns (returned) are orthonormal and span what W
/// spanned, the others are zero.
template <class T>
int64_t orthonormalize(const RowSpace& space, MatrixView<T> W);

/// The same against a given orthonormal basis as well: columns of W are made orthogonal to V (twice) first.
template <class T>
int64_t orthonormalize_against(const RowSpace& space, MatrixView<const T> V, MatrixView<T> W);

/// The same, quicker and to a few more roundings of T, for a start that need not be better; W has been projected once.
template <class T>
int64_t quick_orthonormalize_against(const RowSpace& space, MatrixView<const T> V, MatrixView<T> W);

/// |U - W W'U|_F / sqrt(k): the rms sine of the angles between span U and span W, both orthonormal.
template <class T>
double subspace_error(const RowSpace& space, MatrixView<const T> U, MatrixView<const T> W);

}  // namespace mbsc
