// SPDX-License-Identifier: Apache-2.0
// Tall-skinny algebra: n x c matrices of float or double, with small c. The rows are divided among threads and ranks.
// Sums over rows are in double (except in the quick_ functions), in an order that depends only on n (reduce.h). Small
// results are Eigen matrices, equal on all ranks. Cost: gram and multiply take 2 n c c' operations if the result has c'
// columns.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "mbsc/base/random.h"
#include "mbsc/input.h"
#include "mbsc/linalg/row_space.h"

namespace mbsc {

/// A'B.
template <class T>
Eigen::MatrixXd gram(const RowSpace& space, MatrixView<const T> A, MatrixView<const T> B);

/// A'B, twice as fast as gram(): rows are summed in T, 256 at a time. The result has a few rounding errors of T, which
/// is too inaccurate for orthonormalization.
template <class T>
Eigen::MatrixXd quick_gram(const RowSpace& space, MatrixView<const T> A, MatrixView<const T> B);

/// The same, but faster if most rows of B are zero: it skips these rows.
template <class T>
Eigen::MatrixXd quick_gram_of_few_rows(const RowSpace& space, MatrixView<const T> A, MatrixView<const T> B);

/// out = A M, for a small M. `out` may be A itself if M has no more columns than rows.
template <class T>
void multiply(const RowSpace& space, MatrixView<const T> A, const Eigen::MatrixXd& M, MatrixView<T> out);

/// out -= A M.
template <class T>
void subtract(const RowSpace& space, MatrixView<const T> A, const Eigen::MatrixXd& M, MatrixView<T> out);

/// The 2-norm of each column of A - B diag(values). With B = X and A = LX, these are the residuals of eigenpairs.
template <class T>
std::vector<double> residual_norms(const RowSpace& space, MatrixView<const T> A, MatrixView<const T> B,
                                   const Eigen::VectorXd& values);

/// Independent standard normal entries: element (global row i, column j) depends only on (key, i, j).
template <class T>
void fill_normal(const RowSpace& space, MatrixView<T> out, const Random& random, uint64_t key);

/// The given (global, ascending) rows of W; the result is the same on every rank.
template <class T>
Matrix<T> gather_rows(const RowSpace& space, MatrixView<const T> W, std::span<const int64_t> rows);

/// Copies the columns of `from` to the first columns of `to`.
template <class T>
void copy(const RowSpace& space, MatrixView<const T> from, MatrixView<T> to);

/// Orthonormalizes the columns of W in place, by Cholesky-QR twice on a double Gram matrix. If that matrix is almost
/// singular, an eigendecomposition of the scaled Gram matrix first orders the directions, and numerically dependent
/// directions are dropped. Returns the rank: the first `rank` columns are orthonormal and span the same space as
/// before, and the other columns are zero.
template <class T>
int64_t orthonormalize(const RowSpace& space, MatrixView<T> W);

/// The same, and makes W orthogonal to a given orthonormal basis V: it projects V out of the columns of W, twice.
template <class T>
int64_t orthonormalize_against(const RowSpace& space, MatrixView<const T> V, MatrixView<T> W);

/// The same, but faster and with a few more rounding errors of T, for warm starts. The caller must already have
/// projected V out of W once.
template <class T>
int64_t quick_orthonormalize_against(const RowSpace& space, MatrixView<const T> V, MatrixView<T> W);

/// |U - W W'U|_F / sqrt(k), where U has k columns: the rms sine of the angles between span U and span W. U and W must
/// be orthonormal.
template <class T>
double subspace_error(const RowSpace& space, MatrixView<const T> U, MatrixView<const T> W);

}  // namespace mbsc
