// SPDX-License-Identifier: Apache-2.0
#include "mbsc/affinity/normalized.h"

#include <gtest/gtest.h>

#include <limits>
#include <numeric>

#include "mbsc/base/require.h"
#include "tests/affinity/dense_oracle.h"

namespace mbsc {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using testing::dense_affinity;
using testing::random_matrix;
using testing::to_eigen;

constexpr int64_t n = 150;
constexpr Kernel kernel{KernelKind::rbf, 0.6};

/// (D + tau)^-1/2 (A + diagonal I + (tau/n) 11') (D + tau)^-1/2. D has the row sums of A, without `diagonal`, and tau
/// is `regularization` times their mean. Zero rows remain zero.
MatrixXd dense_normalized(const MatrixXd& A, double regularization, double diagonal = 0) {
  const VectorXd d = A.rowwise().sum();
  const double tau = regularization * d.mean();
  const VectorXd s = d.unaryExpr([&](double x) { return x + tau > 0 ? 1 / std::sqrt(x + tau) : 0.0; });
  MatrixXd whole = A;
  whole.diagonal().array() += diagonal;
  whole.array() += tau / double(A.rows());
  return s.asDiagonal() * whole * s.asDiagonal();
}

template <class T>
class NormalizedOf : public ::testing::Test {
 public:
  /// Bound on errors: entries of L are below 1, they are multiplied by numbers of about 1, and each of the n steps
  /// rounds.
  static constexpr double bound = 60 * double(std::numeric_limits<T>::epsilon());
  const Matrix<T> X = random_matrix<T>(n, 3, 1);
  const Matrix<T> W = random_matrix<T>(n, 4, 2);
  const KernelAffinity<T> A{Points(X.view()), kernel, RowSpace(n, 1)};
  const MatrixXd dense = dense_affinity(Points(X.view()), kernel);
};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(NormalizedOf, Scalars);

TYPED_TEST(NormalizedOf, TheProductEqualsTheDenseProductWithAndWithoutRegularization) {
  using T = TypeParam;
  for (const double regularization : {0.0, 0.1, 2.0}) {
    const Normalized<T> L(this->A, this->A.degrees({}).sum, regularization);
    Matrix<T> out(n, 4);
    L.multiply(this->W, out, {});
    const MatrixXd expected = dense_normalized(this->dense, regularization) * to_eigen(this->W);
    EXPECT_LT((to_eigen(out) - expected).cwiseAbs().maxCoeff(), this->bound) << regularization;
    EXPECT_NEAR(L.regularization_added(), regularization * this->dense.sum() / double(n), this->bound * double(n));
  }
}

TYPED_TEST(NormalizedOf, TheRootsOfTheDegreesAreAnEigenvectorOfEigenvalueOne) {
  using T = TypeParam;
  for (const double regularization : {0.0, 0.5}) {
    const Normalized<T> L(this->A, this->A.degrees({}).sum, regularization);
    Matrix<T> root(n, 1), out(n, 1);
    for (int64_t i = 0; i < n; ++i) root(i, 0) = 1 / L.inverse_root_degrees()[size_t(i)];
    L.multiply(root, out, {});
    // The entries are below sqrt(n).
    EXPECT_LT((to_eigen(out) - to_eigen(root)).cwiseAbs().maxCoeff(), this->bound * std::sqrt(double(n)));
  }
}

TYPED_TEST(NormalizedOf, AllColumnsPlusTheExactPartEqualTheProduct) {
  using T = TypeParam;
  for (const double regularization : {0.0, 0.3}) {
    const Normalized<T> L(this->A, this->A.degrees({}).sum, regularization);
    std::vector<int64_t> all(n);
    std::iota(all.begin(), all.end(), 0);
    Matrix<T> sampled(n, 4), product(n, 4);
    L.multiply_columns(all, this->W, sampled, {});
    L.add_exact(this->W, sampled);
    L.multiply(this->W, product, {});
    EXPECT_LT((to_eigen(sampled) - to_eigen(product)).cwiseAbs().maxCoeff(), this->bound);
  }
}

TYPED_TEST(NormalizedOf, SomeColumnsEqualTheDenseColumns) {
  using T = TypeParam;
  const Normalized<T> L(this->A, this->A.degrees({}).sum, 0);
  const std::vector<int64_t> columns{0, 7, 64, 149};
  Matrix<T> C = random_matrix<T>(4, 2, 3), out(n, 2);
  L.multiply_columns(columns, C, out, {});
  const MatrixXd whole = dense_normalized(this->dense, 0);
  MatrixXd expected = MatrixXd::Zero(n, 2);
  for (int64_t j = 0; j < 4; ++j) expected += whole.col(columns[size_t(j)]) * to_eigen(C).row(j);
  EXPECT_LT((to_eigen(out) - expected).cwiseAbs().maxCoeff(), this->bound);
}

TYPED_TEST(NormalizedOf, TheDefiniteKernelHasTheSelfSimilarityOnItsDiagonal) {
  using T = TypeParam;
  for (const double regularization : {0.0, 0.3}) {
    const Normalized<T> L(this->A, this->A.degrees({}).sum, regularization);
    const MatrixXd K = dense_normalized(this->dense, regularization, 1.0);
    const std::vector<int64_t> columns{3, 40, 41, 42, 100, 149};
    Matrix<T> block(50, 6), square(6, 6), C = random_matrix<T>(6, 3, 4), product(n, 3);
    L.evaluate_definite({20, 70}, *L.take_columns(columns), block);
    L.evaluate_definite_square(columns, square);
    L.multiply_definite_columns(columns, C, product, {});
    MatrixXd expected = MatrixXd::Zero(n, 3);
    for (int64_t j = 0; j < 6; ++j) {
      const int64_t column = columns[size_t(j)];
      for (int64_t i = 0; i < 50; ++i) EXPECT_NEAR(double(block(i, j)), K(20 + i, column), this->bound);
      for (int64_t i = 0; i < 6; ++i) EXPECT_NEAR(double(square(i, j)), K(columns[size_t(i)], column), this->bound);
      expected += K.col(column) * to_eigen(C).row(j);
    }
    EXPECT_LT((to_eigen(product) - expected).cwiseAbs().maxCoeff(), this->bound);
  }
}

TYPED_TEST(NormalizedOf, IsolatedPointsAreZeroRowsUnlessRegularized) {
  using T = TypeParam;
  Matrix<T> far = this->X;
  far(10, 0) = 500;
  far(70, 1) = -900;
  const KernelAffinity<T> affinity(Points(far.view()), kernel, RowSpace(n, 1));
  const Normalized<T> L(affinity, affinity.degrees({}).sum, 0);
  EXPECT_EQ(L.isolated_count(), 2);
  Matrix<T> out(n, 4);
  L.multiply(this->W, out, {});
  for (int64_t i = 0; i < n; ++i) {
    EXPECT_EQ(L.isolated()[size_t(i)] != 0, i == 10 || i == 70);
    if (L.isolated()[size_t(i)]) {
      EXPECT_EQ(to_eigen(out).row(i).norm(), 0);
      EXPECT_EQ(L.inverse_root_degrees()[size_t(i)], T(0));
    }
  }
  const MatrixXd expected = dense_normalized(dense_affinity(Points(far.view()), kernel), 0) * to_eigen(this->W);
  EXPECT_LT((to_eigen(out) - expected).cwiseAbs().maxCoeff(),
            2e3 * this->bound);  // coordinates up to 900

  const Normalized<T> regularized(affinity, affinity.degrees({}).sum, 0.2);
  EXPECT_EQ(regularized.isolated_count(), 0);
  regularized.multiply(this->W, out, {});
  EXPECT_GT(to_eigen(out).row(10).norm(), 0);
}

TEST(Normalized, RefusesDegreesThatAreAllZeroAndABadRegularization) {
  const Matrix<float> X = random_matrix<float>(10, 2, 5);
  const KernelAffinity<float> A(Points(X.view()), {KernelKind::rbf, 1e9}, RowSpace(10, 1));
  EXPECT_THROW(Normalized<float>(A, A.degrees({}).sum, 0), InvalidInput);
  const std::vector<double> ones(10, 1.0);
  EXPECT_THROW(Normalized<float>(A, ones, -0.1), InvalidInput);
  EXPECT_THROW(Normalized<float>(A, ones, std::nan("")), InvalidInput);
}

}  // namespace
}  // namespace mbsc
