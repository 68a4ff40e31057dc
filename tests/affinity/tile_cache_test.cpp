// SPDX-License-Identifier: Apache-2.0
// The cache of kernel values that the degree pass fills.
#include "mbsc/affinity/pass/tile_cache.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "mbsc/affinity/kernel/kernel_affinity.h"
#include "tests/affinity/dense_oracle.h"

namespace mbsc {
namespace {

using testing::dense_affinity;
using testing::random_matrix;
using testing::to_eigen;

constexpr int64_t n = 431, d = 5;
constexpr Kernel kernel{KernelKind::rbf, 2.0};

const Matrix<float>& points() {
  static const Matrix<float> X = [] {
    Matrix<float> Y = random_matrix<float>(n, d, 1);
    for (int64_t f = 0; f < d; ++f) Y(0, f) = 2.5f, Y(1, f) = 2.9f;  // two points of tiny degree
    return Y;
  }();
  return X;
}

/// The full matrix as a product uses it: A times the identity.
Eigen::MatrixXd whole(const KernelAffinity<float>& A) {
  Matrix<float> unit(n, n), out(n, n);
  for (int64_t i = 0; i < n; ++i) unit(i, i) = 1;
  A.multiply(unit, out, {});
  return to_eigen(out);
}

TEST(TileCache, CachedValuesHaveARelativeErrorOfAtMostAThousandthForAnySize) {
  KernelAffinity<float> A(Points(points().view()), kernel, RowSpace(n, 2));
  A.keep_values(int64_t{1} << 30);
  EXPECT_EQ(A.entry_error(), 0) << "the cache is still empty";
  const int64_t before = A.kernel_values();
  A.degrees({});
  EXPECT_GT(A.entry_error(), 0);
  const int64_t evaluated = A.kernel_values();
  EXPECT_GT(evaluated, before);
  const Eigen::MatrixXd cached = whole(A), dense = dense_affinity(Points(points().view()), kernel);
  EXPECT_EQ(A.kernel_values(), evaluated) << "all values came from the cache";
  double largest = 0, smallest = 1, mean = 0;
  int64_t count = 0;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j) {
      if (dense(i, j) < 1e-37) continue;
      const double error = cached(i, j) / dense(i, j) - 1;
      largest = std::max(largest, std::abs(error));
      smallest = std::min(smallest, dense(i, j));
      mean += error;
      ++count;
    }
  mean /= double(count);
  fmt::print("values down to {:.1e}: largest error {:.2e}, mean {:.1e}\n", smallest, largest, mean);
  EXPECT_LT(smallest, 1e-30);
  EXPECT_LT(largest, A.entry_error() + 1e-5);
  EXPECT_LT(std::abs(mean), 1e-5) << "values are rounded, not truncated";
  EXPECT_EQ(cached.diagonal().norm(), 0);
}

TEST(TileCache, ACacheOfAnySizeGivesTheSameBitsForAnyNumberOfThreads) {
  const Matrix<float> V = random_matrix<float>(n, 5, 2);
  const Eigen::MatrixXd dense = dense_affinity(Points(points().view()), kernel) * to_eigen(V);
  int64_t last = -1;
  for (const int64_t bytes : {int64_t{0}, int64_t{100'000}, int64_t{1} << 30}) {
    std::vector<Matrix<float>> products;
    for (const int threads : {1, 2, 3}) {
      KernelAffinity<float> A(Points(points().view()), kernel, RowSpace(n, threads));
      A.keep_values(bytes);
      EXPECT_LE(A.cached_bytes(), bytes);
      if (threads == 1) {
        EXPECT_GT(A.cached_bytes(), last);
        last = A.cached_bytes();
      }
      A.degrees({});
      Matrix<float> out(n, 5), anew(n, 5), plain(n, 5);
      A.multiply(V, out, {});
      EXPECT_LT((to_eigen(out) - dense).cwiseAbs().maxCoeff(), bytes == 0 ? 1e-4 : 0.02);
      A.multiply_anew(V, anew, {});
      const KernelAffinity<float> B(Points(points().view()), kernel, RowSpace(n, 1));
      B.multiply(V, plain, {});
      EXPECT_EQ(to_eigen(anew), to_eigen(plain));
      products.push_back(std::move(out));
    }
    for (const Matrix<float>& product : products) EXPECT_EQ(to_eigen(product), to_eigen(products[0]));
  }
}

TEST(TileCache, DoublesAreNotCached) {
  const Matrix<double> X = random_matrix<double>(n, d, 1);
  KernelAffinity<double> A(Points(X.view()), kernel, RowSpace(n, 2));
  A.keep_values(int64_t{1} << 30);
  A.degrees({});
  EXPECT_EQ(A.cached_bytes(), 0);
  EXPECT_EQ(A.entry_error(), 0);
}

}  // namespace
}  // namespace mbsc
