// SPDX-License-Identifier: Apache-2.0
#include "mbsc/linalg/dense.h"

#include <Eigen/Dense>
#include <algorithm>

#include "mbsc/base/parallel.h"
#include "mbsc/simd/gemm.h"

namespace mbsc {
namespace {

using Eigen::MatrixXd;
using simd::Strided;

constexpr int64_t block_rows = 128, panel = 64;

/// Calls body(begin, end) for panels of [begin, end).
template <class Body>
void for_panels(int threads, int64_t begin, int64_t end, Body&& body) {
  parallel_for(threads, (end - begin + panel - 1) / panel, [&](int64_t p) {
    const int64_t first = begin + p * panel;
    body(first, std::min(end, first + panel));
  });
}

// Eigen stores matrices by columns, but gemm writes rows. So gemm computes the transposed products.
Strided<double> transposed(const MatrixXd& A) { return {A.data(), A.rows(), 1}; }
Strided<double> plain(const MatrixXd& A) { return {A.data(), 1, A.rows()}; }

void subtract_product(int64_t rows, int64_t columns, int64_t depth, Strided<double> A, Strided<double> B, double* C,
                      int64_t stride) {
  if (rows > 0 && columns > 0) simd::gemm<double, double, double>(rows, columns, depth, -1, A, B, C, stride);
}

}  // namespace

bool cholesky(MatrixXd& A, int threads) {
  const int64_t m = A.rows();
  for (int64_t k = 0; k < m; k += block_rows) {
    const int64_t size = std::min(block_rows, m - k), next = k + size;
    auto corner = A.block(k, k, size, size);
    const Eigen::LLT<MatrixXd> factor(corner.selfadjointView<Eigen::Upper>());
    if (factor.info() != Eigen::Success) return false;
    corner = factor.matrixU();
    for_panels(threads, next, m, [&](int64_t begin, int64_t end) {
      auto right = A.block(k, begin, size, end - begin);
      corner.triangularView<Eigen::Upper>().transpose().solveInPlace(right);
    });
    for_panels(threads, next, m, [&](int64_t begin, int64_t end) {
      subtract_product(end - begin, end - next, size, transposed(A).from(begin, k), plain(A).from(k, next),
                       A.data() + begin * m + next, m);
    });
  }
  A.triangularView<Eigen::StrictlyLower>().setZero();
  return true;
}

void solve_upper(const MatrixXd& R, bool transpose, MatrixXd& X, int threads) {
  const int64_t m = R.rows();
  for_panels(threads, 0, X.cols(), [&](int64_t begin, int64_t end) {
    const int64_t count = end - begin, blocks = (m + block_rows - 1) / block_rows;
    double* const columns = X.data() + begin * m;
    for (int64_t step = 0; step < blocks; ++step) {
      const int64_t k = (transpose ? step : blocks - 1 - step) * block_rows, size = std::min(block_rows, m - k);
      const auto corner = R.block(k, k, size, size).triangularView<Eigen::Upper>();
      auto part = X.block(k, begin, size, count);
      const Strided<double> solved = transposed(X).from(begin, k);
      if (transpose) {
        corner.transpose().solveInPlace(part);
        subtract_product(count, m - k - size, size, solved, plain(R).from(k, k + size), columns + k + size, m);
      } else {
        corner.solveInPlace(part);
        subtract_product(count, k, size, solved, transposed(R).from(k, 0), columns, m);
      }
    }
  });
}

std::optional<MatrixXd> inverse_cholesky(const MatrixXd& A, double least_pivot) {
  const Eigen::LLT<MatrixXd> factor(A);
  if (factor.info() != Eigen::Success) return {};
  const MatrixXd R = factor.matrixU();
  if (R.diagonal().cwiseAbs2().minCoeff() < least_pivot) return {};
  const MatrixXd unit = MatrixXd::Identity(A.rows(), A.cols());
  return R.triangularView<Eigen::Upper>().solve(unit);
}

MatrixXd multiply_symmetric(const MatrixXd& A, const MatrixXd& X, int threads) {
  MatrixXd out = MatrixXd::Zero(A.rows(), X.cols());
  for_panels(threads, 0, X.cols(), [&](int64_t begin, int64_t end) {
    simd::gemm<double, double, double>(end - begin, A.rows(), A.rows(), 1, transposed(X).from(begin, 0), transposed(A),
                                       out.data() + begin * A.rows(), A.rows());
  });
  return out;
}

SmallEigen eigen_ascending(const Eigen::MatrixXd& B) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(B);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

SmallEigen eigen_descending(const Eigen::MatrixXd& B) {
  const SmallEigen ascending = eigen_ascending((B + B.transpose()) / 2);
  return {ascending.values.reverse(), ascending.vectors.rowwise().reverse()};
}

SmallEigen eigen_descending(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B) {
  const SmallEigen basis = eigen_descending(B);
  const Eigen::VectorXd sizes = basis.values.cwiseMax(1e-14 * basis.values[0]);
  const Eigen::MatrixXd root = basis.vectors * sizes.cwiseSqrt().cwiseInverse().asDiagonal();
  const SmallEigen inner = eigen_descending(root.transpose() * A * root);
  return {inner.values, root * inner.vectors};
}

Eigen::MatrixXd orthogonal_factor(const Eigen::MatrixXd& A) {
  // BDCSVD is faster for more than some hundred rows, but takes far longer to compile.
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(A, Eigen::ComputeFullU | Eigen::ComputeFullV);
  return svd.matrixU() * svd.matrixV().transpose();
}

Eigen::MatrixXd least_squares(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B) {
  return A.completeOrthogonalDecomposition().solve(B);
}

}  // namespace mbsc
