// SPDX-License-Identifier: Apache-2.0
// Rayleigh-Ritz: the best eigenpairs a subspace holds. With orthonormal V and Y = LV, eigenpairs (theta, u) of V'Y
// give Ritz pairs (theta, V u) with residuals |Y u - theta V u|, all exact: this is the certificate.
#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <vector>

#include "mbsc/linalg/tall.h"
#include "mbsc/solvers/solver.h"

namespace mbsc {

/// Eigenvalues of the symmetric part of B, descending, with their vectors as columns.
struct SmallEigen {
  Eigen::VectorXd values;
  Eigen::MatrixXd vectors;
};
inline SmallEigen eigen_descending(const Eigen::MatrixXd& B) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver((B + B.transpose()) / 2);
  return {solver.eigenvalues().reverse(), solver.eigenvectors().rowwise().reverse()};
}

/// The same of the pencil A - t B, B definite but for rounding: vectors G with G'BG = I.
inline SmallEigen eigen_descending(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B) {
  const SmallEigen basis = eigen_descending(B);
  const Eigen::VectorXd sizes = basis.values.cwiseMax(1e-14 * basis.values[0]);
  const Eigen::MatrixXd root = basis.vectors * sizes.cwiseSqrt().cwiseInverse().asDiagonal();
  const SmallEigen inner = eigen_descending(root.transpose() * A * root);
  return {inner.values, root * inner.vectors};
}

/// Fills values, vectors and residuals of `pairs` with the k leading Ritz pairs of V, Y = LV.
template <class T>
void take_ritz_pairs(const RowSpace& space, MatrixView<const T> V, MatrixView<const T> Y, int64_t k,
                     EigenPairs<T>& pairs) {
  const SmallEigen ritz = eigen_descending(gram(space, V, Y));
  const Eigen::MatrixXd U = ritz.vectors.leftCols(k);
  pairs.vectors = Matrix<T>(V.rows, k);
  multiply<T>(space, V, U, pairs.vectors);
  Matrix<T> image(V.rows, k);
  multiply<T>(space, Y, U, image);
  pairs.values.assign(ritz.values.data(), ritz.values.data() + k);
  pairs.residuals = residual_norms<T>(space, image, pairs.vectors, ritz.values.head(k));
  pairs.values_are_exact = true;
}

template <class T>
double largest_residual(const EigenPairs<T>& pairs) {
  return pairs.residuals.empty() ? std::numeric_limits<double>::infinity()
                                 : *std::max_element(pairs.residuals.begin(), pairs.residuals.end());
}

/// Multiplies the basis in `pairs` once more and replaces it by its k leading Ritz pairs, with recomputed residuals.
/// `image`: the product, where it was just made.
template <class T>
void certify(const Normalized<T>& L, const StopToken& stop, int64_t k, EigenPairs<T>& pairs, Matrix<T> image = {}) {
  if (image.empty()) {
    image = Matrix<T>(pairs.vectors.rows(), pairs.vectors.cols());
    L.multiply_anew(pairs.vectors, image, stop);
  }
  pairs.columns_evaluated += L.n();
  ++pairs.full_products;
  const Matrix<T> basis = std::move(pairs.vectors);
  take_ritz_pairs<T>(L.rows(), basis, image, k, pairs);
}

/// Orthonormalizes W; directions it has lost are replaced by random ones.
template <class T>
void orthonormalize_or_refill(const RowSpace& space, MatrixView<T> W, const SolverOptions& options, int64_t step) {
  const int64_t rank = orthonormalize(space, W);
  if (rank == W.cols) return;
  const auto fresh = W.columns_between(rank, W.cols);
  fill_normal<T>(space, fresh, Random(options.seed, Stream::refill), uint64_t(step + 1));
  orthonormalize_against<T>(space, W.columns_between(0, rank), fresh);
}

/// Orthonormalizes W so that its leading columns span what the leading columns of W spanned (QR, where
/// orthonormalize() may turn the columns); lost directions are replaced by random ones.
template <class T>
void orthonormalize_in_order(const RowSpace& space, MatrixView<T> W, const SolverOptions& options) {
  for (int round = 0; round < 2; ++round) {
    const Eigen::MatrixXd G = gram<T>(space, W, W);
    const Eigen::VectorXd scale = G.diagonal().cwiseMax(std::numeric_limits<double>::min()).cwiseSqrt().cwiseInverse();
    const Eigen::LLT<Eigen::MatrixXd> factor(scale.asDiagonal() * G * scale.asDiagonal());
    const double least = factor.info() == Eigen::Success ? factor.matrixLLT().diagonal().minCoeff() : 0;
    if (!(least > (round == 0 ? 1e-3 : 0.5))) return orthonormalize_or_refill<T>(space, W, options, round);
    multiply<T>(space, W, scale.asDiagonal() * factor.matrixU().solve(Eigen::MatrixXd::Identity(W.cols, W.cols)).eval(),
                W);
  }
}

/// A random orthonormal n x c basis.
template <class T>
Matrix<T> random_basis(const Normalized<T>& L, int64_t c, const SolverOptions& options) {
  Matrix<T> W(L.rows().local_rows(), c);
  fill_normal<T>(L.rows(), W, Random(options.seed, Stream::start), 0);
  orthonormalize<T>(L.rows(), W);
  return W;
}

}  // namespace mbsc
