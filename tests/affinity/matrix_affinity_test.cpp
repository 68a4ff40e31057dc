// SPDX-License-Identifier: Apache-2.0
#include "mbsc/affinity/matrix/matrix_affinity.h"

#include <gtest/gtest.h>

#include <limits>

#include "mbsc/base/require.h"
#include "tests/affinity/dense_oracle.h"

namespace mbsc {
namespace {

using testing::dense_affinity;
using testing::random_matrix;
using testing::to_eigen;

constexpr int64_t n = 130;

/// The kernel matrix of some points with ones on the diagonal, as a user would compute it.
template <class T>
Matrix<T> stored_matrix(const Points& points, const Kernel& kernel) {
  const Eigen::MatrixXd dense = dense_affinity(points, kernel);
  Matrix<T> stored(points.rows, points.rows);
  for (int64_t i = 0; i < points.rows; ++i)
    for (int64_t j = 0; j < points.rows; ++j) stored(i, j) = i == j ? T(1) : T(dense(i, j));
  return stored;
}

template <class T>
class MatrixAffinityOf : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(MatrixAffinityOf, Scalars);

TYPED_TEST(MatrixAffinityOf, EveryResultEqualsThatOfTheKernelOfTheSamePoints) {
  using T = TypeParam;
  const Matrix<T> X = random_matrix<T>(n, 3, 1), V = random_matrix<T>(n, 4, 2);
  const Points points(X.view());
  for (const KernelKind kind : {KernelKind::rbf, KernelKind::exponential, KernelKind::cosine}) {
    const Kernel kernel{kind, 0.5};
    const Matrix<T> stored = stored_matrix<T>(points, kernel);
    const RowSpace rows(n, 1);
    const KernelAffinity<T> on_the_fly(points, kernel, rows);
    const MatrixAffinity<T> precomputed(Points(stored.view()), rows);
    // A product sums n affinities times numbers up to 4. An affinity is at most 1 and has an error of a few units in
    // the last place.
    const double bound = 200 * double(std::numeric_limits<T>::epsilon()) * std::sqrt(double(n));

    Matrix<T> a(n, 4), b(n, 4);
    on_the_fly.multiply(V, a, {});
    precomputed.multiply(V, b, {});
    EXPECT_LT((to_eigen(a) - to_eigen(b)).cwiseAbs().maxCoeff(), bound);

    const std::vector<int64_t> columns{0, 5, 64, 129};
    on_the_fly.multiply_columns(columns, V.view().rows_between(0, 4), a, {});
    precomputed.multiply_columns(columns, V.view().rows_between(0, 4), b, {});
    EXPECT_LT((to_eigen(a) - to_eigen(b)).cwiseAbs().maxCoeff(), bound);

    Matrix<T> block_a(20, 4), block_b(20, 4), square_a(4, 4), square_b(4, 4);
    on_the_fly.evaluate({50, 70}, columns, block_a);
    precomputed.evaluate({50, 70}, columns, block_b);
    on_the_fly.evaluate_square(columns, square_a);
    precomputed.evaluate_square(columns, square_b);
    EXPECT_LT((to_eigen(block_a) - to_eigen(block_b)).cwiseAbs().maxCoeff(), bound);
    EXPECT_LT((to_eigen(square_a) - to_eigen(square_b)).cwiseAbs().maxCoeff(), bound);

    const Degrees d = on_the_fly.degrees({}), e = precomputed.degrees({});
    for (size_t i = 0; i < size_t(n); ++i) {
      EXPECT_NEAR(d.sum[i], e.sum[i], bound * 10);
      EXPECT_NEAR(d.squares[i], e.squares[i], bound * 10);
    }
  }
}

TYPED_TEST(MatrixAffinityOf, TheDiagonalCountsAsZero) {
  using T = TypeParam;
  Matrix<T> stored = stored_matrix<T>(Points(random_matrix<T>(10, 2, 3).view()), {KernelKind::rbf, 1});
  const MatrixAffinity<T> ones(Points(stored.view()), RowSpace(10, 1));
  EXPECT_EQ(ones.self_similarity(), 1);
  const Degrees before = ones.degrees({});
  for (int64_t i = 0; i < 10; ++i) stored(i, i) = 5;
  const MatrixAffinity<T> fives(Points(stored.view()), RowSpace(10, 1));
  EXPECT_EQ(fives.degrees({}).sum, before.sum);
  EXPECT_EQ(fives.self_similarity(), 5);
}

TYPED_TEST(MatrixAffinityOf, SelfSimilarityIsTheLargestEntryIfTheDiagonalIsZero) {
  using T = TypeParam;
  Matrix<T> stored(3, 3);
  stored(0, 1) = stored(1, 0) = 2;
  stored(1, 2) = stored(2, 1) = 7;
  EXPECT_EQ(MatrixAffinity<T>(Points(stored.view()), RowSpace(3, 1)).self_similarity(), 7);
}

TYPED_TEST(MatrixAffinityOf, BadMatricesAreRefused) {
  using T = TypeParam;
  const auto refused = [](const Matrix<T>& A) {
    EXPECT_THROW(MatrixAffinity<T>(Points(A.view()), RowSpace(A.rows(), 1)), InvalidInput);
  };
  const auto good = [] {
    Matrix<T> A(4, 4);
    std::fill_n(A.data(), 16, T(0.5));
    return A;
  };
  refused(Matrix<T>(4, 5));
  for (const double bad : {-0.1, std::nan(""), double(std::numeric_limits<T>::infinity())}) {
    Matrix<T> A = good();
    A(1, 2) = A(2, 1) = T(bad);
    refused(A);
  }
  Matrix<T> skew = good();
  skew(0, 3) = T(0.6);
  refused(skew);
  EXPECT_NO_THROW(MatrixAffinity<T>(Points(good().view()), RowSpace(4, 1)));
}

}  // namespace
}  // namespace mbsc
