// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "mbsc/linalg/tall.h"
#include "tests/affinity/dense_oracle.h"
#include "tests/linalg/layouts.h"
#include "tests/oracle/dense_algebra.h"

namespace mbsc {
namespace {

using Eigen::MatrixXd;
using testing::all_rows;
using testing::expect_same_bits_for_every_layout;
using testing::own_part;
using testing::random_matrix;
using testing::to_eigen;

constexpr int64_t n = 500;

template <class T>
class OrthonormalizeOf : public ::testing::Test {
 public:
  static constexpr double eps = double(std::numeric_limits<T>::epsilon());
  /// Bound on |W'W - I|. Entries are sums of products of rounded numbers of size 1/sqrt(n). Their error is a few eps.
  static constexpr double orthonormal = sizeof(T) == 4 ? 1e-6 : 1e-13;
};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(OrthonormalizeOf, Scalars);

template <class T>
Matrix<T> rounded(const MatrixXd& A) {
  Matrix<T> out(A.rows(), A.cols());
  for (int64_t i = 0; i < A.rows(); ++i)
    for (int64_t j = 0; j < A.cols(); ++j) out(i, j) = T(A(i, j));
  return out;
}

/// A matrix of n rows. Its singular values fall geometrically from 1 to 1/condition. Its singular vectors are random.
MatrixXd with_condition(int64_t columns, double condition) {
  const MatrixXd U = testing::orthonormal_basis(to_eigen(random_matrix<double>(n, columns, 1)));
  const MatrixXd V = testing::orthonormal_basis(to_eigen(random_matrix<double>(columns, columns, 2)));
  Eigen::VectorXd s(columns);
  for (int64_t j = 0; j < columns; ++j) s[j] = std::pow(condition, -double(j) / double(columns - 1));
  return U * s.asDiagonal() * V.transpose();
}

/// The largest entry of |W'W - I|, for the first `rank` columns of W.
template <class T>
double departure(const Matrix<T>& W, int64_t rank) {
  return testing::departure(to_eigen(W).leftCols(rank));
}

/// The largest entry of the normalized columns of A after projection onto the space orthogonal to the first `rank`
/// columns of W.
template <class T>
double outside(const Matrix<T>& A, const Matrix<T>& W, int64_t rank) {
  MatrixXd columns = to_eigen(A);
  for (int64_t j = 0; j < columns.cols(); ++j)
    if (columns.col(j).norm() > 0) columns.col(j).normalize();
  const MatrixXd Q = to_eigen(W).leftCols(rank);
  return (columns - Q * (Q.transpose() * columns)).cwiseAbs().maxCoeff();
}

template <class T>
void expect_zero_from(const Matrix<T>& W, int64_t rank) {
  for (int64_t i = 0; i < W.rows(); ++i)
    for (int64_t j = rank; j < W.cols(); ++j) ASSERT_EQ(W(i, j), T(0));
}

TYPED_TEST(OrthonormalizeOf, WellConditionedColumnsKeepTheirSpan) {
  using T = TypeParam;
  for (const int64_t columns : {1, 2, 7, 30}) {
    const Matrix<T> A = random_matrix<T>(n, columns, 3);
    Matrix<T> W = A;
    EXPECT_EQ(orthonormalize<T>(RowSpace(n, 1), W), columns);
    EXPECT_LT(departure(W, columns), TestFixture::orthonormal);
    EXPECT_LT(outside(A, W, columns), 20 * TestFixture::eps);
  }
}

TYPED_TEST(OrthonormalizeOf, IllConditionedColumnsBecomeOrthonormalAndKeepTheirSpan) {
  using T = TypeParam;
  for (const double condition : {1e2, 1e3, 1e4, 1e5, 1e6, 1e8, 1e12}) {
    const Matrix<T> A = rounded<T>(with_condition(8, condition));
    Matrix<T> W = A;
    const int64_t rank = orthonormalize<T>(RowSpace(n, 1), W);
    EXPECT_LT(departure(W, rank), TestFixture::orthonormal) << condition;
    // Directions above the noise are kept. The noise is 50 eps in float, and 1e-7 sqrt(c) in double with c columns,
    // because a Gram matrix squares the condition number. The columns here have a length near 0.4, so dropped
    // directions are below a few times noise / 0.4.
    const double noise = sizeof(T) == 4 ? 50 * TestFixture::eps : 1e-7 * std::sqrt(8.0);
    if (condition < 0.1 / noise) {
      EXPECT_EQ(rank, 8) << condition;
    }
    EXPECT_GE(rank, 3) << condition;
    EXPECT_LT(outside(A, W, rank), rank == 8 ? 20 * TestFixture::eps : 10 * noise) << condition;
    expect_zero_from(W, rank);
  }
}

TYPED_TEST(OrthonormalizeOf, ColumnsOfVeryDifferentLengthsAreNotIllConditioned) {
  using T = TypeParam;
  Matrix<T> A = random_matrix<T>(n, 6, 4);
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < 6; ++j) A(i, j) *= T(std::pow(10.0, 4.0 * double(j) - 10));
  Matrix<T> W = A;
  EXPECT_EQ(orthonormalize<T>(RowSpace(n, 1), W), 6);
  EXPECT_LT(departure(W, 6), TestFixture::orthonormal);
  EXPECT_LT(outside(A, W, 6), 20 * TestFixture::eps);
}

TYPED_TEST(OrthonormalizeOf, DependentAndZeroColumnsLowerTheRankAndKeepTheSpan) {
  using T = TypeParam;
  Matrix<T> A = random_matrix<T>(n, 7, 5);
  for (int64_t i = 0; i < n; ++i) {
    A(i, 1) = 0;
    A(i, 3) = A(i, 0);
    A(i, 6) = A(i, 2) - 2 * A(i, 4);
  }
  Matrix<T> W = A;
  EXPECT_EQ(orthonormalize<T>(RowSpace(n, 1), W), 4);
  EXPECT_LT(departure(W, 4), TestFixture::orthonormal);
  EXPECT_LT(outside(A, W, 4), 20 * TestFixture::eps);
  expect_zero_from(W, 4);
}

TYPED_TEST(OrthonormalizeOf, ZeroColumnsAloneHaveRankZero) {
  using T = TypeParam;
  Matrix<T> W(n, 3), none(n, 0);
  EXPECT_EQ(orthonormalize<T>(RowSpace(n, 1), W), 0);
  expect_zero_from(W, 0);
  EXPECT_EQ(orthonormalize<T>(RowSpace(n, 1), none.view()), 0);
}

TYPED_TEST(OrthonormalizeOf, AsManyColumnsAsRowsOrMoreGiveTheWholeSpace) {
  using T = TypeParam;
  Matrix<T> square = random_matrix<T>(5, 5, 6), wide = random_matrix<T>(5, 8, 7);
  EXPECT_EQ(orthonormalize<T>(RowSpace(5, 1), square), 5);
  EXPECT_LT(departure(square, 5), TestFixture::orthonormal);
  EXPECT_EQ(orthonormalize<T>(RowSpace(5, 1), wide), 5);
  EXPECT_LT(departure(wide, 5), TestFixture::orthonormal);
  expect_zero_from(wide, 5);
}

TYPED_TEST(OrthonormalizeOf, AgainstABasisTheResultIsOrthogonalToItAndSpansTheRest) {
  using T = TypeParam;
  const RowSpace space(n, 1);
  Matrix<T> V = random_matrix<T>(n, 5, 8);
  orthonormalize<T>(space, V);
  // The four columns are near the span of V, in it, zero, and independent of it. Their parts outside of the span are
  // 1e-3, nothing, nothing, and almost all of the column.
  Matrix<T> W = random_matrix<T>(n, 4, 9);
  for (int64_t i = 0; i < n; ++i) {
    W(i, 0) = V(i, 1) + T(1e-3 / std::sqrt(double(n))) * W(i, 0);
    W(i, 1) = V(i, 0) - 3 * V(i, 4);
    W(i, 2) = 0;
  }
  const Matrix<T> before = W;
  EXPECT_EQ(orthonormalize_against<T>(space, V, W), 2);
  EXPECT_LT(departure(W, 2), TestFixture::orthonormal);
  EXPECT_LT((to_eigen(V).transpose() * to_eigen(W)).cwiseAbs().maxCoeff(), TestFixture::orthonormal);
  expect_zero_from(W, 2);
  Matrix<T> both(n, 7);
  copy<T>(space, V, both);
  copy<T>(space, W.view().columns_between(0, 2), both.view().columns_between(5, 7));
  EXPECT_LT(outside(before, both, 7), 20 * TestFixture::eps);
}

TYPED_TEST(OrthonormalizeOf, QuicklyAgainstABasisWhatWasProjectedOnce) {
  using T = TypeParam;
  const RowSpace space(n, 1);
  Matrix<T> V = random_matrix<T>(n, 5, 10);
  orthonormalize<T>(space, V);
  Matrix<T> W = random_matrix<T>(n, 4, 11);
  subtract<T>(space, V, gram<T>(space, V, W), W);
  for (int64_t i = 0; i < n; ++i) W(i, 3) = W(i, 0) - W(i, 1);  // a dependent column
  const Matrix<T> before = W;
  EXPECT_EQ(quick_orthonormalize_against<T>(space, V, W), 3);
  EXPECT_LT(departure(W, 3), TestFixture::orthonormal);
  EXPECT_LT((to_eigen(V).transpose() * to_eigen(W)).cwiseAbs().maxCoeff(), 4 * TestFixture::orthonormal);
  EXPECT_LT(outside(before, W, 3), 20 * TestFixture::eps);
}

TYPED_TEST(OrthonormalizeOf, HasTheSameBitsForAnyNumberOfThreadsAndRanks) {
  using T = TypeParam;
  Matrix<T> basis = random_matrix<T>(n, 3, 10);
  orthonormalize<T>(RowSpace(n, 1), basis);
  for (const double condition : {10.0, 1e9})
    expect_same_bits_for_every_layout(n, [&](const RowSpace& space) {
      Matrix<T> W = own_part(space, rounded<T>(with_condition(6, condition)));
      Matrix<T> Z = W, Q = W;
      const Matrix<T> V = own_part(space, basis);
      std::vector<T> result{T(orthonormalize<T>(space, W)), T(orthonormalize_against<T>(space, V, Z)),
                            T(quick_orthonormalize_against<T>(space, V, Q))};
      for (const Matrix<T>* M : {&W, &Z, &Q})
        for (const T x : all_rows(space, *M)) result.push_back(x);
      return result;
    });
}

}  // namespace
}  // namespace mbsc
