// SPDX-License-Identifier: Apache-2.0
#include "mbsc/affinity/landmarks/landmark_affinity.h"

#include <gtest/gtest.h>

#include "mbsc/affinity/normalized.h"
#include "tests/affinity/landmark_problem.h"

namespace mbsc {
namespace {

using Eigen::MatrixXd;
using testing::dense_factor;
using testing::dense_landmark_affinity;
using testing::random_factor;
using testing::random_matrix;
using testing::to_eigen;

/// A relative error of float32 sums of a few terms.
constexpr double rounding = 2e-6;

TEST(LandmarkAffinity, ProductsColumnsAndDegreesAreThoseOfTheFullMatrix) {
  for (const int64_t n : {1, 7, 300, 5000}) {
    const int64_t p = std::max<int64_t>(6, n / 20), each = 3;
    const LandmarkFactor factor = random_factor(n, p, each, uint64_t(n));
    const MatrixXd A = dense_landmark_affinity(dense_factor(factor));
    const LandmarkAffinity affinity(factor, RowSpace(n, 2));
    const Matrix<float> V = random_matrix<float>(n, 5, 3);
    Matrix<float> out(n, 5);
    affinity.multiply(V, out, {});
    EXPECT_LT((to_eigen(out) - A * to_eigen(V)).norm(), rounding * (A * to_eigen(V).cwiseAbs()).norm());
    const Degrees degrees = affinity.degrees({});
    for (int64_t i = 0; i < n; ++i) ASSERT_NEAR(degrees.sum[size_t(i)], A.row(i).sum(), rounding * A.row(i).sum()) << i;

    std::vector<int64_t> columns;
    for (int64_t j = 0; j < n; j += 1 + n / 9) columns.push_back(j);
    const auto count = int64_t(columns.size());
    Matrix<float> block(n, count);
    affinity.evaluate({0, n}, columns, block);
    MatrixXd some(n, count);
    for (int64_t j = 0; j < count; ++j) some.col(j) = A.col(columns[size_t(j)]);
    EXPECT_LT((to_eigen(block) - some).norm(), rounding * some.norm());
    const Matrix<float> C = random_matrix<float>(count, 4, 5);
    Matrix<float> product(n, 4);
    affinity.multiply_columns(columns, C, product, {});
    EXPECT_LT((to_eigen(product) - some * to_eigen(C)).norm(), rounding * (some * to_eigen(C).cwiseAbs()).norm());
  }
}

TEST(LandmarkAffinity, TheDiagonalIsNotZeroAndIsPartOfEveryResult) {
  const LandmarkFactor factor = random_factor(50, 10, 3, 1);
  const MatrixXd A = dense_landmark_affinity(dense_factor(factor));
  const LandmarkAffinity affinity(factor, RowSpace(50, 1));
  std::vector<int64_t> all(50);
  for (size_t i = 0; i < all.size(); ++i) all[i] = int64_t(i);
  Matrix<float> values(50, 50);
  affinity.evaluate_square(all, values);
  for (int64_t i = 0; i < 50; ++i) {
    EXPECT_GT(values(i, i), 0);
    EXPECT_NEAR(double(values(i, i)), A(i, i), rounding);
  }
}

TEST(LandmarkAffinity, ProductsHaveTheSameBitsForAnyNumberOfThreads) {
  const int64_t n = 9000;
  const LandmarkFactor factor = random_factor(n, 40, 4, 7);
  const Matrix<float> V = random_matrix<float>(n, 7, 1);
  Matrix<float> one(n, 7), many(n, 7);
  LandmarkAffinity(factor, RowSpace(n, 1)).multiply(V, one, {});
  for (const int threads : {2, 3}) {
    LandmarkAffinity(factor, RowSpace(n, threads)).multiply(V, many, {});
    EXPECT_TRUE(std::equal(one.data(), one.data() + one.size(), many.data())) << threads;
  }
}

TEST(LandmarkAffinity, AStopRequestThrows) {
  const LandmarkAffinity affinity(random_factor(20, 8, 2, 1), RowSpace(20, 1));
  const std::atomic<bool> stop{true};
  Matrix<float> V(20, 1), out(20, 1);
  EXPECT_THROW(affinity.multiply(V, out, StopToken(stop)), Stopped);
  EXPECT_THROW(affinity.degrees(StopToken(stop)), Stopped);
}

TEST(LandmarkAffinity, TheLeadingEigenvalueOfTheNormalizedMatrixIsOne) {
  const LandmarkAffinity affinity(random_factor(400, 30, 4, 2), RowSpace(400, 1));
  const Normalized<float> L(affinity, affinity.degrees({}), 0);
  Matrix<float> root(400, 1), out(400, 1);
  for (int64_t i = 0; i < 400; ++i) root(i, 0) = float(std::sqrt(L.degrees()[size_t(i)]));
  L.multiply(root, out, {});
  EXPECT_LT((to_eigen(out) - to_eigen(root)).norm(), rounding * to_eigen(root).norm());
}

}  // namespace
}  // namespace mbsc
