// SPDX-License-Identifier: Apache-2.0
#include "mbsc/solvers/rayleigh_ritz.h"

#include <Eigen/Dense>
#include <algorithm>
#include <limits>

#include "mbsc/base/float64.h"
#include "mbsc/base/random.h"

namespace mbsc {

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

template <class T>
void certify(const Normalized<T>& L, const StopToken& stop, int64_t k, EigenPairs<T>& pairs, Matrix<T> image) {
  if (image.empty()) {
    image = Matrix<T>(pairs.vectors.rows(), pairs.vectors.cols());
    L.multiply_anew(pairs.vectors, image, stop);
  }
  pairs.columns_evaluated += L.n();
  ++pairs.full_products;
  const Matrix<T> basis = std::move(pairs.vectors);
  take_ritz_pairs<T>(L.rows(), basis, image, k, pairs);
}

template <class T>
void orthonormalize_or_refill(const RowSpace& space, MatrixView<T> W, uint64_t seed, int64_t step) {
  const int64_t rank = orthonormalize(space, W);
  if (rank == W.cols) return;
  const auto fresh = W.columns_between(rank, W.cols);
  fill_normal<T>(space, fresh, Random(seed, Stream::refill), uint64_t(step + 1));
  orthonormalize_against<T>(space, W.columns_between(0, rank), fresh);
}

template <class T>
void orthonormalize_in_order(const RowSpace& space, MatrixView<T> W, uint64_t seed) {
  for (int round = 0; round < 2; ++round) {
    const Eigen::MatrixXd G = gram<T>(space, W, W);
    const Eigen::VectorXd scale = G.diagonal().cwiseMax(std::numeric_limits<double>::min()).cwiseSqrt().cwiseInverse();
    const Eigen::LLT<Eigen::MatrixXd> factor(scale.asDiagonal() * G * scale.asDiagonal());
    const double least = factor.info() == Eigen::Success ? factor.matrixLLT().diagonal().minCoeff() : 0;
    if (!(least > (round == 0 ? 1e-3 : 0.5))) return orthonormalize_or_refill<T>(space, W, seed, round);
    multiply<T>(space, W, scale.asDiagonal() * factor.matrixU().solve(Eigen::MatrixXd::Identity(W.cols, W.cols)).eval(),
                W);
  }
}

template <class T>
Matrix<T> random_basis(const Normalized<T>& L, int64_t c, uint64_t seed) {
  Matrix<T> W(L.rows().local_rows(), c);
  fill_normal<T>(L.rows(), W, Random(seed, Stream::start), 0);
  orthonormalize<T>(L.rows(), W);
  return W;
}

// KrylovBasis<double> works on the landmark block of Nystrom, so float64 versions of these two are always needed.
template void orthonormalize_or_refill(const RowSpace&, MatrixView<float>, uint64_t, int64_t);
template void orthonormalize_or_refill(const RowSpace&, MatrixView<double>, uint64_t, int64_t);
template void orthonormalize_in_order(const RowSpace&, MatrixView<float>, uint64_t);
template void orthonormalize_in_order(const RowSpace&, MatrixView<double>, uint64_t);
#define MBSC_INSTANTIATE(T)                                                                                          \
  template void take_ritz_pairs(const RowSpace&, MatrixView<const T>, MatrixView<const T>, int64_t, EigenPairs<T>&); \
  template double largest_residual(const EigenPairs<T>&);                                                            \
  template void certify(const Normalized<T>&, const StopToken&, int64_t, EigenPairs<T>&, Matrix<T>);                 \
  template Matrix<T> random_basis(const Normalized<T>&, int64_t, uint64_t);
MBSC_INSTANTIATE(float)
MBSC_FLOAT64(MBSC_INSTANTIATE(double))
#undef MBSC_INSTANTIATE

}  // namespace mbsc
