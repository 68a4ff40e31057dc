// SPDX-License-Identifier: Apache-2.0
#include "mbsc/linalg/dense.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>

namespace mbsc {
namespace {

using Eigen::MatrixXd;

TEST(Dense, CholeskySolvesAndProductsAreThoseOfEigenAtAnySizeAndNumberOfThreads) {
  for (const int64_t m : {1, 64, 127, 128, 129, 300, 513}) {
    std::srand(unsigned(m));
    const MatrixXd X = MatrixXd::Random(m, m + 5), A = X * X.transpose() + MatrixXd::Identity(m, m);
    const MatrixXd expected = A.llt().matrixU(), B = MatrixXd::Random(m, 70);
    MatrixXd R = A;
    ASSERT_TRUE(cholesky(R, 1));
    EXPECT_LT((R - expected).norm(), 1e-12 * expected.norm()) << m;
    MatrixXd R2 = A;
    ASSERT_TRUE(cholesky(R2, 3));
    EXPECT_EQ(R, R2);
    for (const bool transposed : {false, true}) {
      MatrixXd one = B, three = B;
      solve_upper(R, transposed, one, 1);
      solve_upper(R, transposed, three, 3);
      EXPECT_EQ(one, three);
      const MatrixXd back = transposed ? MatrixXd(R.transpose() * one) : MatrixXd(R * one);
      EXPECT_LT((back - B).norm(), 1e-11 * B.norm()) << m;
    }
    EXPECT_LT((multiply_symmetric(A, B, 2) - A * B).norm(), 1e-12 * (A * B).norm());
  }
}

TEST(Dense, CholeskyTellsWhatIsNotDefinite) {
  MatrixXd A = MatrixXd::Identity(300, 300);
  A(200, 200) = -1;
  EXPECT_FALSE(cholesky(A, 2));
}

TEST(Dense, EigenvaluesFallAndTheirVectorsAreThoseOfTheSymmetricPart) {
  const MatrixXd A = MatrixXd::Random(20, 20), symmetric = (A + A.transpose()) / 2;
  const MatrixXd B = A * A.transpose() + MatrixXd::Identity(20, 20), identity = MatrixXd::Identity(20, 20);
  const SmallEigen plain = eigen_descending(A), pencil = eigen_descending(A, B);
  for (int64_t j = 1; j < 20; ++j) {
    EXPECT_GE(plain.values[j - 1], plain.values[j]);
    EXPECT_GE(pencil.values[j - 1], pencil.values[j]);
  }
  EXPECT_LT((plain.vectors.transpose() * plain.vectors - identity).norm(), 1e-12);
  EXPECT_LT((symmetric * plain.vectors - plain.vectors * plain.values.asDiagonal()).norm(), 1e-11);
  EXPECT_LT((pencil.vectors.transpose() * B * pencil.vectors - identity).norm(), 1e-11);
  EXPECT_LT((symmetric * pencil.vectors - B * pencil.vectors * pencil.values.asDiagonal()).norm(), 1e-10);
}

TEST(Dense, LeastSquaresHasTheLeastNormWhereTheMatrixIsSingular) {
  MatrixXd A = MatrixXd::Random(6, 6);
  A.col(5) = A.col(0);  // both columns must get the same coefficient
  const MatrixXd X = MatrixXd::Random(6, 2), B = A * X, found = least_squares(A, B);
  EXPECT_LT((A * found - B).norm(), 1e-12);
  EXPECT_LT((found.row(0) - found.row(5)).norm(), 1e-12);
  EXPECT_LE(found.norm(), X.norm());
}

TEST(Dense, TheOrthogonalFactorLeavesAPositiveSemidefiniteMatrix) {
  for (const int64_t k : {1, 2, 7, 40})
    for (const int64_t rank : {k, k / 2}) {
      const Eigen::MatrixXd A = Eigen::MatrixXd::Random(k, rank) * Eigen::MatrixXd::Random(rank, k);
      const Eigen::MatrixXd V = orthogonal_factor(A), H = A * V.transpose();
      EXPECT_LT((V * V.transpose() - Eigen::MatrixXd::Identity(k, k)).norm(), 1e-12 * double(k));
      EXPECT_LT((H - H.transpose()).norm(), 1e-11 * double(k));
      EXPECT_GT(eigen_ascending(H).values[0], -1e-11 * double(k));
    }
}

}  // namespace
}  // namespace mbsc
