// SPDX-License-Identifier: Apache-2.0
#include "mbsc/linalg/dense.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace mbsc
