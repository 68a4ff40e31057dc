// SPDX-License-Identifier: Apache-2.0
#include "mbsc/linalg/tall.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/affinity/dense_oracle.h"
#include "tests/comm/ranks.h"
#include "tests/linalg/layouts.h"
#include "tests/oracle/dense_algebra.h"

namespace mbsc {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using testing::all_rows;
using testing::expect_same_bits_for_every_layout;
using testing::own_part;
using testing::random_matrix;
using testing::to_eigen;

constexpr int64_t n = 777;

template <class T>
class TallOf : public ::testing::Test {
 public:
  static constexpr double eps = double(std::numeric_limits<T>::epsilon());
};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(TallOf, Scalars);

MatrixXd small_matrix(int64_t rows, int64_t cols) { return to_eigen(random_matrix<double>(rows, cols, 9)); }

std::vector<double> flat(const MatrixXd& M) { return {M.data(), M.data() + M.size()}; }

TYPED_TEST(TallOf, GramEqualsTheProductInDouble) {
  using T = TypeParam;
  const Matrix<T> A = random_matrix<T>(n, 5, 1), B = random_matrix<T>(n, 3, 2);
  const RowSpace space(n, 1);
  // The sums are of size n and computed in double for any T, over 64 rows and then over blocks. The bound is about 45
  // eps times n.
  const double bound = double(n) * 1e-14;
  EXPECT_LT((gram<T>(space, A, B) - to_eigen(A).transpose() * to_eigen(B)).cwiseAbs().maxCoeff(), bound);
  EXPECT_LT((gram<T>(space, A, A) - to_eigen(A).transpose() * to_eigen(A)).cwiseAbs().maxCoeff(), bound);
}

TYPED_TEST(TallOf, GramTakesColumnsOutOfAWiderMatrix) {
  using T = TypeParam;
  const Matrix<T> A = random_matrix<T>(n, 9, 3);
  const auto left = A.view().columns_between(0, 4), right = A.view().columns_between(4, 9);
  const MatrixXd expected = to_eigen(A).leftCols(4).transpose() * to_eigen(A).rightCols(5);
  EXPECT_LT((gram<T>(RowSpace(n, 1), left, right) - expected).cwiseAbs().maxCoeff(), double(n) * 1e-15);
}

TYPED_TEST(TallOf, QuickGramEqualsTheProductOfTransposesToRoundingsOfItsType) {
  using T = TypeParam;
  const Matrix<T> wide = random_matrix<T>(n, 12, 3);
  const auto A = wide.view().columns_between(1, 8), B = wide.view().columns_between(8, 12);
  const MatrixXd expected = to_eigen(wide).middleCols(1, 7).transpose() * to_eigen(wide).rightCols(4);
  // A sum of 256 terms of size one and of any sign has an error of about fifty roundings. The errors of the n / 256
  // sums have random signs.
  EXPECT_LT((quick_gram<T>(RowSpace(n, 1), A, B) - expected).cwiseAbs().maxCoeff(),
            20 * std::sqrt(double(n)) * double(std::numeric_limits<T>::epsilon()));
}

TYPED_TEST(TallOf, QuickGramOfFewRowsPassesOverTheZeroOnes) {
  using T = TypeParam;
  const Matrix<T> wide = random_matrix<T>(n, 9, 3);
  const auto A = wide.view().columns_between(2, 7);
  Matrix<T> B = random_matrix<T>(n, 3, 2);
  for (int64_t i = 0; i < n; ++i)
    if (i % 7 != 0 || (i > n / 4 && i < n / 2)) std::fill_n(B.row(i), B.cols(), T{});
  B(0, 0) = B(0, 2) = T{};  // this row is only partly zero
  const MatrixXd expected = to_eigen(wide).middleCols(2, 5).transpose() * to_eigen(B);
  EXPECT_LT((quick_gram_of_few_rows<T>(RowSpace(n, 1), A, B) - expected).cwiseAbs().maxCoeff(),
            20 * std::sqrt(double(n)) * double(std::numeric_limits<T>::epsilon()));
  const Matrix<T> zero(n, 3);
  EXPECT_EQ(quick_gram_of_few_rows<T>(RowSpace(n, 1), A, zero).cwiseAbs().maxCoeff(), 0);
}

TYPED_TEST(TallOf, MultiplyEqualsTheProductAlsoInPlace) {
  using T = TypeParam;
  const RowSpace space(n, 1);
  const Matrix<T> A = random_matrix<T>(n, 6, 4);
  for (const int64_t columns : {1, 4, 6}) {
    const MatrixXd M = small_matrix(6, columns), expected = to_eigen(A) * M;
    Matrix<T> out(n, columns), in_place = A;
    multiply<T>(space, A, M, out);
    multiply<T>(space, A, M, in_place);
    // Each entry is a sum in T of six products of size up to about 4 * 3.
    const double bound = 100 * TestFixture::eps;
    EXPECT_LT((to_eigen(out) - expected).cwiseAbs().maxCoeff(), bound);
    EXPECT_LT((to_eigen(in_place).leftCols(columns) - expected).cwiseAbs().maxCoeff(), bound);
    // Columns that a narrowing product does not write do not change.
    EXPECT_EQ(to_eigen(in_place).rightCols(6 - columns), to_eigen(A).rightCols(6 - columns));
  }
}

TYPED_TEST(TallOf, SubtractTakesTheProductAway) {
  using T = TypeParam;
  const Matrix<T> A = random_matrix<T>(n, 5, 5), before = random_matrix<T>(n, 3, 6);
  Matrix<T> out = before;
  subtract<T>(RowSpace(n, 1), A, small_matrix(5, 3), out);
  const MatrixXd expected = to_eigen(before) - to_eigen(A) * small_matrix(5, 3);
  EXPECT_LT((to_eigen(out) - expected).cwiseAbs().maxCoeff(), 100 * TestFixture::eps);
}

TYPED_TEST(TallOf, ResidualNormsAreThoseOfTheColumns) {
  using T = TypeParam;
  const Matrix<T> A = random_matrix<T>(n, 4, 7), B = random_matrix<T>(n, 4, 8);
  const VectorXd values = VectorXd::LinSpaced(4, -1, 2);
  const std::vector<double> norms = residual_norms<T>(RowSpace(n, 1), A, B, values);
  const MatrixXd R = to_eigen(A) - to_eigen(B) * values.asDiagonal();
  for (int64_t j = 0; j < 4; ++j) EXPECT_NEAR(norms[size_t(j)], R.col(j).norm(), 1e-12 * R.col(j).norm());
}

TYPED_TEST(TallOf, SubspaceErrorIsTheRmsSineAndKeepsSmallAngles) {
  using T = TypeParam;
  const RowSpace space(n, 1);
  // W is U with its second vector rotated by an angle toward a third one. The sines are 0 and sin(angle).
  for (const double angle : {0.0, 1e-3, 0.3, 1.5}) {
    Matrix<T> U(n, 2), W(n, 2);
    U(3, 0) = W(3, 0) = 1;
    U(300, 1) = 1;
    W(300, 1) = T(std::cos(angle));
    W(700, 1) = T(std::sin(angle));
    EXPECT_NEAR(subspace_error<T>(space, U, W), std::sin(angle) / std::sqrt(2.0), 2 * TestFixture::eps);
  }
}

TYPED_TEST(TallOf, SubspaceErrorIgnoresRotationsAndCountsWhatAWiderBlockHolds) {
  using T = TypeParam;
  const RowSpace space(n, 1);
  Matrix<T> V = random_matrix<T>(n, 6, 10);
  orthonormalize<T>(space, V);
  Matrix<T> turned(n, 3);
  const MatrixXd Q = testing::orthonormal_basis(small_matrix(3, 3));
  multiply<T>(space, V.view().columns_between(0, 3), Q, turned);
  // The rounding of n k entries of size 1/sqrt(n), and the departure of the columns from orthonormality.
  const double bound = 20 * TestFixture::eps;
  EXPECT_LT(subspace_error<T>(space, V.view().columns_between(0, 3), turned), bound);
  EXPECT_LT(subspace_error<T>(space, turned, V), bound);
  EXPECT_NEAR(subspace_error<T>(space, V.view().columns_between(1, 5), turned), std::sqrt(0.5), bound);
}

TYPED_TEST(TallOf, GatheredRowsAreTheSameOnEveryRank) {
  using T = TypeParam;
  const Matrix<T> W = random_matrix<T>(n, 3, 11);
  const std::vector<int64_t> rows{0, 1, 63, 64, 500, 776};
  for (const int ranks : {1, 2, 3, 4, 7, 20})
    testing::on_ranks(ranks, [&](const Comm& comm) {
      const RowSpace space(n, 1, comm);
      const Matrix<T> part = own_part(space, W);
      const Matrix<T> found = gather_rows<T>(space, part, rows);
      ASSERT_EQ(found.rows(), int64_t(rows.size()));
      for (size_t i = 0; i < rows.size(); ++i)
        for (int64_t c = 0; c < 3; ++c) EXPECT_EQ(found(int64_t(i), c), W(rows[i], c));
      EXPECT_EQ(gather_rows<T>(space, part, {}).rows(), 0);
    });
}

TYPED_TEST(TallOf, RandomEntriesDependOnTheirPlaceOnly) {
  using T = TypeParam;
  expect_same_bits_for_every_layout(n, [](const RowSpace& space) {
    Matrix<T> W(space.local_rows(), 3);
    fill_normal<T>(space, W, Random(5, Stream::test), 2);
    return all_rows(space, W);
  });
}

TYPED_TEST(TallOf, EveryRoutineHasTheSameBitsForAnyNumberOfThreadsAndRanks) {
  using T = TypeParam;
  const Matrix<T> A = random_matrix<T>(n, 4, 12), B = random_matrix<T>(n, 4, 13);
  const VectorXd values = VectorXd::LinSpaced(4, -1, 1);
  expect_same_bits_for_every_layout(n, [&](const RowSpace& space) {
    const Matrix<T> a = own_part(space, A), b = own_part(space, B);
    std::vector<double> result = flat(gram<T>(space, a, b));
    const std::vector<double> norms = residual_norms<T>(space, a, b, values);
    result.insert(result.end(), norms.begin(), norms.end());
    result.push_back(subspace_error<T>(space, a, b));
    Matrix<T> product(a.rows(), 4), rest = b;
    multiply<T>(space, a, small_matrix(4, 4), product);
    subtract<T>(space, a, small_matrix(4, 4), rest);
    for (const Matrix<T>* M : {&product, &rest})
      for (const T x : all_rows(space, *M)) result.push_back(double(x));
    return result;
  });
}

}  // namespace
}  // namespace mbsc
