// SPDX-License-Identifier: Apache-2.0
#include "mbsc/linalg/tall.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>

#include "mbsc/linalg/dense.h"
#include "mbsc/linalg/reduce.h"
#include "mbsc/simd/gemm.h"

namespace mbsc {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

template <class T>
using RowMajor = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

template <class T>
auto map_rows(MatrixView<T> A, Range rows) {
  using Plain = RowMajor<std::remove_const_t<T>>;
  using Mapped = std::conditional_t<std::is_const_v<T>, const Plain, Plain>;
  return Eigen::Map<Mapped, 0, Eigen::OuterStride<>>(A.row(rows.begin), rows.size(), A.cols,
                                                     Eigen::OuterStride<>(A.stride));
}

/// If a direction has less than this share of a unit column, it is rounding noise of T.
template <class T>
double noise_level() {
  return 50 * static_cast<double>(std::numeric_limits<T>::epsilon());
}

template <class Compute, class T>
MatrixXd gram_in(const RowSpace& space, MatrixView<const T> A, MatrixView<const T> B) {
  const std::vector<double> sum = sum_over_blocks(
      space, A.cols * B.cols,
      [&](int64_t, Range rows, std::span<double> out) {
        simd::gemm<Compute, T, double>(A.cols, B.cols, rows.size(), 1, {A.row(rows.begin), 1, A.stride},
                                       {B.row(rows.begin), B.stride, 1}, out.data(), B.cols);
      },
      2.0 * double(A.cols * B.cols));
  return Eigen::Map<const RowMajor<double>>(sum.data(), A.cols, B.cols);
}

template <class T>
VectorXd column_norms(const RowSpace& space, MatrixView<const T> W) {
  return gram(space, W, W).diagonal().cwiseMax(0).cwiseSqrt();
}

/// One step of Cholesky-QR: W <- W R^-1 with R'R = W'W. Returns false and leaves W unchanged if W'W is almost singular.
template <class T>
bool cholesky_step(const RowSpace& space, MatrixView<T> W) {
  const MatrixXd G = gram<T>(space, W, W);
  const VectorXd norms = G.diagonal().cwiseMax(0).cwiseSqrt();
  if (norms.minCoeff() <= 0 || !norms.allFinite()) return false;
  const VectorXd inverse = norms.cwiseInverse();
  // The scaled matrix has a unit diagonal. So a squared pivot is the (squared) part of a column that does not depend on
  // the columns before it.
  const std::optional<MatrixXd> inverse_R = inverse_cholesky(inverse.asDiagonal() * G * inverse.asDiagonal(), 1e-8);
  if (!inverse_R) return false;
  multiply<T>(space, W, inverse.asDiagonal() * *inverse_R, W);
  return true;
}

/// Rotates W to its principal directions in descending order of strength, scales them to length one, and drops noise.
/// Returns the number of directions that remain.
template <class T>
int64_t spectral_step(const RowSpace& space, MatrixView<T> W) {
  const MatrixXd G = gram<T>(space, W, W);
  const VectorXd norms = G.diagonal().cwiseMax(0).cwiseSqrt();
  const VectorXd inverse = norms.unaryExpr([](double x) { return x > 0 && std::isfinite(x) ? 1 / x : 0; });
  const SmallEigen eigen = eigen_ascending(inverse.asDiagonal() * G * inverse.asDiagonal());
  const int64_t c = W.cols;
  MatrixXd M = MatrixXd::Zero(c, c);
  int64_t rank = 0;
  // Drop directions at the noise level of T or of the double Gram matrix. `least` is a squared length.
  const double least = std::max(noise_level<T>() * noise_level<T>(), 1e-14 * double(c));
  for (int64_t j = c - 1; j >= 0; --j) {  // eigenvalues ascend
    const double value = eigen.values[j];
    if (value <= least) continue;
    M.col(rank++) = inverse.asDiagonal() * eigen.vectors.col(j) / std::sqrt(value);
  }
  multiply<T>(space, W, M, W);
  return rank;
}

}  // namespace

template <class T>
MatrixXd gram(const RowSpace& space, MatrixView<const T> A, MatrixView<const T> B) {
  return gram_in<double>(space, A, B);
}

template <class T>
MatrixXd quick_gram(const RowSpace& space, MatrixView<const T> A, MatrixView<const T> B) {
  return gram_in<T>(space, A, B);
}

template <class T>
MatrixXd quick_gram_of_few_rows(const RowSpace& space, MatrixView<const T> A, MatrixView<const T> B) {
  const std::vector<double> sum = sum_over_blocks(
      space, A.cols * B.cols,
      [&](int64_t, Range rows, std::span<double> out) {
        std::vector<int64_t> used;
        for (int64_t i = rows.begin; i < rows.end; ++i)
          if (std::any_of(B.row(i), B.row(i) + B.cols, [](T x) { return x != T{}; })) used.push_back(i);
        const auto count = int64_t(used.size());
        Matrix<T> a(count, A.cols), b(count, B.cols);
        for (int64_t at = 0; at < count; ++at) {
          std::copy_n(A.row(used[size_t(at)]), A.cols, a.row(at));
          std::copy_n(B.row(used[size_t(at)]), B.cols, b.row(at));
        }
        simd::gemm<T, T, double>(A.cols, B.cols, count, 1, {a.data(), 1, A.cols}, {b.data(), B.cols, 1}, out.data(),
                                 B.cols);
      },
      2.0 * double(A.cols * B.cols));
  return Eigen::Map<const RowMajor<double>>(sum.data(), A.cols, B.cols);
}

template <class T>
void multiply(const RowSpace& space, MatrixView<const T> A, const MatrixXd& M, MatrixView<T> out) {
  const RowMajor<T> small = M.template cast<T>();
  space.for_each_block(
      [&](int64_t, Range rows) {
        RowMajor<T> product = RowMajor<T>::Zero(rows.size(), small.cols());
        simd::gemm<T, T, T>(rows.size(), small.cols(), A.cols, 1, {A.row(rows.begin), A.stride, 1},
                            {small.data(), small.cols(), 1}, product.data(), small.cols());
        map_rows(out, rows).leftCols(product.cols()) = product;
      },
      2.0 * double(M.size()));
}

template <class T>
void subtract(const RowSpace& space, MatrixView<const T> A, const MatrixXd& M, MatrixView<T> out) {
  const RowMajor<T> small = M.template cast<T>();
  space.for_each_block(
      [&](int64_t, Range rows) {
        simd::gemm<T, T, T>(rows.size(), small.cols(), A.cols, -1, {A.row(rows.begin), A.stride, 1},
                            {small.data(), small.cols(), 1}, out.row(rows.begin), out.stride);
      },
      2.0 * double(M.size()));
}

template <class T>
std::vector<double> residual_norms(const RowSpace& space, MatrixView<const T> A, MatrixView<const T> B,
                                   const VectorXd& values) {
  std::vector<double> sum = sum_over_blocks(space, A.cols, [&](int64_t, Range rows, std::span<double> out) {
    for (int64_t i = rows.begin; i < rows.end; ++i)
      for (int64_t j = 0; j < A.cols; ++j) {
        const double r = static_cast<double>(A(i, j)) - values[j] * static_cast<double>(B(i, j));
        out[j] += r * r;
      }
  });
  for (double& x : sum) x = std::sqrt(x);
  return sum;
}

template <class T>
void fill_normal(const RowSpace& space, MatrixView<T> out, const Random& random, uint64_t key) {
  const int64_t first = space.own_rows().begin;
  space.for_each_block(
      [&](int64_t, Range rows) {
        for (int64_t i = rows.begin; i < rows.end; ++i)
          for (int64_t j = 0; j < out.cols; ++j)
            out(i, j) = static_cast<T>(random.normal(first + i, key << 32 | uint64_t(j)));
      },
      200.0 * double(out.cols));
}

template <class T>
Matrix<T> gather_rows(const RowSpace& space, MatrixView<const T> W, std::span<const int64_t> rows) {
  const Range own = space.own_rows();
  std::vector<T> mine;
  for (const int64_t row : rows)
    if (own.contains(row)) mine.insert(mine.end(), W.row(row - own.begin), W.row(row - own.begin) + W.cols);
  const std::vector<T> all = space.comm().gather<T>(mine);
  Matrix<T> out(int64_t(rows.size()), W.cols);
  std::copy(all.begin(), all.end(), out.data());
  return out;
}

template <class T>
void copy(const RowSpace& space, MatrixView<const T> from, MatrixView<T> to) {
  space.for_each_block([&](int64_t, Range rows) {
    for (int64_t i = rows.begin; i < rows.end; ++i) std::copy_n(from.row(i), from.cols, to.row(i));
  });
}

template <class T>
int64_t orthonormalize(const RowSpace& space, MatrixView<T> W) {
  if (W.cols == 0) return 0;
  int64_t rank = W.cols;
  if (!cholesky_step(space, W)) rank = spectral_step(space, W);
  // In the second pass the columns are already almost orthonormal. If it fails, some noise was not dropped.
  while (rank > 0 && !cholesky_step(space, W.columns_between(0, rank))) {
    const int64_t kept = spectral_step(space, W.columns_between(0, rank));
    rank = kept == rank ? rank - 1 : kept;
  }
  if (rank < W.cols)
    space.for_each_block([&](int64_t, Range rows) {
      for (int64_t i = rows.begin; i < rows.end; ++i) std::fill(W.row(i) + rank, W.row(i) + W.cols, T{});
    });
  return rank;
}

template <class T>
int64_t orthonormalize_against(const RowSpace& space, MatrixView<const T> V, MatrixView<T> W) {
  if (W.cols == 0) return 0;
  const VectorXd before = column_norms<T>(space, W);
  subtract(space, V, gram<T>(space, V, W), W);
  const VectorXd after = column_norms<T>(space, W);
  // If only noise of a column is left after the projection, set the column to zero. Do not scale the noise to length
  // one.
  VectorXd keep = VectorXd::Ones(W.cols);
  for (int64_t j = 0; j < W.cols; ++j)
    if (!(after[j] > noise_level<T>() * before[j])) keep[j] = 0;
  if (keep.minCoeff() < 1) multiply<T>(space, W, MatrixXd(keep.asDiagonal()), W);
  const int64_t rank = orthonormalize(space, W);
  // Scaling up a small remainder also scales up its rounding error along V: project once more.
  const MatrixView<T> basis = W.columns_between(0, rank);
  subtract(space, V, gram<T>(space, V, basis), basis);
  return orthonormalize(space, basis);
}

template <class T>
int64_t quick_orthonormalize_against(const RowSpace& space, MatrixView<const T> V, MatrixView<T> W) {
  const MatrixView<T> basis = W.columns_between(0, orthonormalize(space, W));
  subtract(space, V, quick_gram<T>(space, V, basis), basis);
  return orthonormalize(space, basis);
}

template <class T>
double subspace_error(const RowSpace& space, MatrixView<const T> U, MatrixView<const T> W) {
  const MatrixXd C = gram(space, W, U);
  const std::vector<double> sum = sum_over_blocks(space, 1, [&](int64_t, Range rows, std::span<double> out) {
    const RowMajor<double> rest =
        map_rows(U, rows).template cast<double>() - map_rows(W, rows).template cast<double>() * C;
    out[0] = rest.squaredNorm();
  });
  return std::sqrt(sum[0] / static_cast<double>(U.cols));
}

#define MBSC_INSTANTIATE(T)                                                                              \
  template MatrixXd gram(const RowSpace&, MatrixView<const T>, MatrixView<const T>);                     \
  template MatrixXd quick_gram(const RowSpace&, MatrixView<const T>, MatrixView<const T>);               \
  template MatrixXd quick_gram_of_few_rows(const RowSpace&, MatrixView<const T>, MatrixView<const T>);   \
  template void multiply(const RowSpace&, MatrixView<const T>, const MatrixXd&, MatrixView<T>);          \
  template void subtract(const RowSpace&, MatrixView<const T>, const MatrixXd&, MatrixView<T>);          \
  template std::vector<double> residual_norms(const RowSpace&, MatrixView<const T>, MatrixView<const T>, \
                                              const VectorXd&);                                          \
  template void fill_normal(const RowSpace&, MatrixView<T>, const Random&, uint64_t);                    \
  template void copy(const RowSpace&, MatrixView<const T>, MatrixView<T>);                               \
  template Matrix<T> gather_rows(const RowSpace&, MatrixView<const T>, std::span<const int64_t>);        \
  template int64_t orthonormalize(const RowSpace&, MatrixView<T>);                                       \
  template int64_t orthonormalize_against(const RowSpace&, MatrixView<const T>, MatrixView<T>);          \
  template int64_t quick_orthonormalize_against(const RowSpace&, MatrixView<const T>, MatrixView<T>);    \
  template double subspace_error(const RowSpace&, MatrixView<const T>, MatrixView<const T>);
MBSC_INSTANTIATE(float)
MBSC_INSTANTIATE(double)
#undef MBSC_INSTANTIATE

}  // namespace mbsc
