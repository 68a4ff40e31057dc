// SPDX-License-Identifier: Apache-2.0
#include "mbsc/affinity/kernel/kernel_affinity.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <numeric>

#include "tests/affinity/dense_oracle.h"

namespace mbsc {
namespace {

using testing::dense_affinity;
using testing::random_matrix;
using testing::to_eigen;

constexpr KernelKind all_kinds[] = {KernelKind::rbf, KernelKind::exponential, KernelKind::cosine};

/// Bound on the error of one kernel value, which is at most 1: a few units in the last place, and the rounding of the
/// squared distance.
template <class T>
double bound() {
  return 60 * double(std::numeric_limits<T>::epsilon());
}

template <class T>
class KernelAffinityOf : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(KernelAffinityOf, Scalars);

TYPED_TEST(KernelAffinityOf, TheFullProductEqualsTheDenseProductForEveryKernelAndOddSizes) {
  using T = TypeParam;
  for (const KernelKind kind : all_kinds)
    for (const int64_t n : {1, 2, 7, 63, 64, 65, 200, 331})
      for (const int64_t d : {1, 3, 17}) {
        const Matrix<T> X = random_matrix<T>(n, d, 1);
        const Kernel kernel{kind, 0.7};
        const KernelAffinity<T> A(Points(X.view()), kernel, RowSpace(n, 2));
        const Matrix<T> V = random_matrix<T>(n, 5, 2);
        Matrix<T> out(n, 5);
        A.multiply(V, out, {});
        const Eigen::MatrixXd dense = dense_affinity(Points(X.view()), kernel);
        const double error = (to_eigen(out) - dense * to_eigen(V)).cwiseAbs().maxCoeff();
        EXPECT_LT(error, bound<T>() * std::sqrt(double(n)) * 3) << n << " points, " << d << " features";
      }
}

TYPED_TEST(KernelAffinityOf, AProductWithColumnsEqualsTheDenseProductWithAZeroDiagonal) {
  using T = TypeParam;
  for (const KernelKind kind : all_kinds) {
    const int64_t n = 500, d = 6;
    const Matrix<T> X = random_matrix<T>(n, d, 3);
    const Kernel kernel{kind, 0.2};
    const KernelAffinity<T> A(Points(X.view()), kernel, RowSpace(n, 2));
    const Eigen::MatrixXd dense = dense_affinity(Points(X.view()), kernel);
    for (const int64_t m : {1, 5, 6, 7, 100, 500}) {
      std::vector<int64_t> columns(m);
      for (int64_t j = 0; j < m; ++j) columns[j] = j * n / m;
      const Matrix<T> C = random_matrix<T>(m, 4, 4);
      Matrix<T> out(n, 4);
      A.multiply_columns(columns, C, out, {});
      Eigen::MatrixXd chosen(n, m);
      for (int64_t j = 0; j < m; ++j) chosen.col(j) = dense.col(columns[j]);
      EXPECT_LT((to_eigen(out) - chosen * to_eigen(C)).cwiseAbs().maxCoeff(), bound<T>() * std::sqrt(double(m)) * 3);
    }
  }
}

TYPED_TEST(KernelAffinityOf, EvaluatedBlocksEqualTheDenseBlocks) {
  using T = TypeParam;
  for (const KernelKind kind : all_kinds) {
    const int64_t n = 90, d = 4;
    const Matrix<T> X = random_matrix<T>(n, d, 5);
    const KernelAffinity<T> A(Points(X.view()), {kind, 0.5}, RowSpace(n, 1));
    const Eigen::MatrixXd dense = dense_affinity(Points(X.view()), {kind, 0.5});
    const std::vector<int64_t> columns{3, 20, 21, 22, 23, 50, 89};
    Matrix<T> block(40, 7), square(7, 7);
    A.evaluate({10, 50}, columns, block);
    A.evaluate_square(columns, square);
    for (int64_t j = 0; j < 7; ++j) {
      for (int64_t i = 0; i < 40; ++i) EXPECT_NEAR(double(block(i, j)), dense(10 + i, columns[j]), bound<T>());
      for (int64_t i = 0; i < 7; ++i) EXPECT_NEAR(double(square(i, j)), dense(columns[i], columns[j]), bound<T>());
    }
  }
}

TYPED_TEST(KernelAffinityOf, ValuesAreSymmetricToTheBit) {
  using T = TypeParam;
  const int64_t n = 67;
  const Matrix<T> X = random_matrix<T>(n, 9, 6);
  for (const KernelKind kind : all_kinds) {
    const KernelAffinity<T> A(Points(X.view()), {kind, 0.1}, RowSpace(n, 1));
    std::vector<int64_t> all(n);
    std::iota(all.begin(), all.end(), 0);
    Matrix<T> K(n, n);
    A.evaluate({0, n}, all, K);
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < i; ++j) EXPECT_EQ(K(i, j), K(j, i));
  }
}

TYPED_TEST(KernelAffinityOf, DegreesAreTheSumsOfValuesAndOfTheirSquares) {
  using T = TypeParam;
  const int64_t n = 300;
  const Matrix<T> X = random_matrix<T>(n, 3, 7);
  for (const KernelKind kind : all_kinds) {
    const KernelAffinity<T> A(Points(X.view()), {kind, 1.5}, RowSpace(n, 2));
    const Degrees degrees = A.degrees({});
    const Eigen::MatrixXd dense = dense_affinity(Points(X.view()), {kind, 1.5});
    for (int64_t i = 0; i < n; ++i) {
      EXPECT_NEAR(degrees.sum[i], dense.row(i).sum(), bound<T>() * (1 + dense.row(i).sum()));
      EXPECT_NEAR(degrees.squares[i], dense.row(i).squaredNorm(), bound<T>() * (1 + dense.row(i).sum()));
    }
    // Each pair is evaluated once, except that the tiles on the diagonal are evaluated completely.
    EXPECT_LT(A.kernel_values(), n * n * 65 / 100);
  }
}

TYPED_TEST(KernelAffinityOf, ProductsHaveTheSameBitsForAnyNumberOfThreads) {
  using T = TypeParam;
  const int64_t n = 777;
  const Matrix<T> X = random_matrix<T>(n, 5, 8), V = random_matrix<T>(n, 3, 9);
  Matrix<T> first(n, 3), batch(n, 3);
  std::vector<int64_t> columns{1, 5, 700};
  for (const int threads : {1, 2, 3}) {
    const KernelAffinity<T> A(Points(X.view()), {KernelKind::rbf, 0.3}, RowSpace(n, threads));
    Matrix<T> full(n, 3), some(n, 3);
    A.multiply(V, full, {});
    A.multiply_columns(columns, V.view().rows_between(0, 3), some, {});
    if (threads == 1) {
      first = full;
      batch = some;
    }
    EXPECT_EQ(0, std::memcmp(first.data(), full.data(), sizeof(T) * full.size()));
    EXPECT_EQ(0, std::memcmp(batch.data(), some.data(), sizeof(T) * some.size()));
  }
}

TYPED_TEST(KernelAffinityOf, TheAffinityOfDuplicatesIsOneAndOfAPointWithItselfZero) {
  using T = TypeParam;
  Matrix<T> X = random_matrix<T>(40, 8, 10);
  for (int64_t i = 20; i < 40; ++i) std::copy_n(X.row(i - 20), 8, X.row(i));
  const KernelAffinity<T> A(Points(X.view()), {KernelKind::rbf, 0.9}, RowSpace(40, 1));
  Matrix<T> K(40, 2);
  A.evaluate({0, 40}, std::vector<int64_t>{4, 30}, K);
  EXPECT_EQ(K(4, 0), T(0));
  EXPECT_EQ(K(24, 0), T(1));
  EXPECT_EQ(K(30, 1), T(0));
  EXPECT_EQ(K(10, 1), T(1));
}

TEST(KernelAffinity, FarGroupsAndAnOutlierSwitchToDirectDistances) {
  const int64_t n = 100;
  Matrix<float> X = random_matrix<float>(n, 2, 11);
  for (int64_t i = 50; i < n; ++i) X(i, 0) += 10000;
  X(99, 0) = 1e6f;
  const KernelAffinity<float> A(Points(X.view()), {KernelKind::rbf, 1.0}, RowSpace(n, 1));
  EXPECT_TRUE(A.direct_distances());
  const Eigen::MatrixXd dense = dense_affinity(Points(X.view()), {KernelKind::rbf, 1.0});
  std::vector<int64_t> all(n);
  std::iota(all.begin(), all.end(), 0);
  Matrix<float> K(n, n);
  A.evaluate({0, n}, all, K);
  // Coordinates near 10,000 are rounded to 5e-4 in float. Differences of rounded coordinates are exact.
  EXPECT_LT((to_eigen(K) - dense).cwiseAbs().maxCoeff(), 1e-2);
  EXPECT_LT((to_eigen(K) - dense).topLeftCorner(50, 50).cwiseAbs().maxCoeff(), 1e-2);
}

TEST(KernelAffinity, FloatValuesAreAccurateOverTheWholeRangeAndUnderflowToZero) {
  // One feature; the distance to the first point grows from point to point.
  const int64_t n = 2000;
  Matrix<double> X(n, 1);
  for (int64_t i = 0; i < n; ++i) X(i, 0) = double(i) * 0.006;
  const KernelAffinity<float> A(Points(X.view()), {KernelKind::rbf, 1.0}, RowSpace(n, 1));
  Matrix<float> K(n, 1);
  A.evaluate({0, n}, std::vector<int64_t>{0}, K);
  for (int64_t i = 1; i < n; ++i) {
    const double t = X(i, 0) * X(i, 0), exact = std::exp(-t);
    // The error of t is about |x|^2 eps; the exponential adds one unit in the last place.
    if (exact > 2e-38) {
      EXPECT_NEAR(K(i, 0) / exact, 1, 4e-7 + 8e-8 * 36 * 4) << t;
    }
    if (exact < 1e-38) {
      EXPECT_EQ(K(i, 0), 0.0f);
    }
  }
}

TEST(KernelAffinity, AppliesTheShiftAndScaleOfThePoints) {
  const int64_t n = 50;
  const Matrix<double> X = random_matrix<double>(n, 3, 12);
  Points points(X.view());
  points.shift = {1, -2, 3};
  points.scale = {2, 0.5, 1};
  const KernelAffinity<double> A(points, {KernelKind::rbf, 0.4}, RowSpace(n, 1));
  Matrix<double> ones(n, 1), out(n, 1);
  std::fill_n(ones.data(), n, 1.0);
  A.multiply(ones, out, {});
  EXPECT_LT((to_eigen(out) - dense_affinity(points, {KernelKind::rbf, 0.4}).rowwise().sum()).norm(), 1e-12);
}

TEST(KernelAffinity, AStopRequestEndsAProduct) {
  const int64_t n = 300;
  const Matrix<float> X = random_matrix<float>(n, 3, 13);
  const KernelAffinity<float> A(Points(X.view()), {KernelKind::rbf, 0.4}, RowSpace(n, 2));
  Matrix<float> out(n, 3);
  const std::atomic<bool> asked{true};
  EXPECT_THROW(A.multiply(X, out, StopToken(asked)), Stopped);
  EXPECT_THROW(A.degrees(StopToken(asked)), Stopped);
}

}  // namespace
}  // namespace mbsc
