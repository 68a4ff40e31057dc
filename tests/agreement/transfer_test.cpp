// SPDX-License-Identifier: Apache-2.0
// Compares the transfer cut with dense LAPACK, on random landmark affinities.
#include "mbsc/solvers/transfer/transfer.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mbsc/solvers/transfer/shared_points.h"
#include "tests/affinity/landmark_problem.h"
#include "tests/oracle/dense_algebra.h"

namespace mbsc {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using testing::dense_factor;
using testing::dense_landmark_affinity;
using testing::largest_sine;
using testing::random_factor;
using testing::to_eigen;

/// L = S (A + (tau/n) 11') S in full, with its eigenpairs in descending order.
struct Truth {
  Truth(const LandmarkFactor& factor, double regularization) {
    MatrixXd A = dense_landmark_affinity(dense_factor(factor));
    const VectorXd d = A.rowwise().sum();
    const double tau = regularization * d.mean();
    A.array() += tau / double(A.rows());
    const VectorXd s = d.unaryExpr([&](double x) { return x + tau > 0 ? 1 / std::sqrt(x + tau) : 0.0; });
    L = s.asDiagonal() * A * s.asDiagonal();
    testing::DenseEigen eigen = testing::dense_eigen(L);
    vectors = std::move(eigen.vectors);
    values = std::move(eigen.values);
  }
  MatrixXd L, vectors;
  VectorXd values;
};

struct Solved {
  Solved(const LandmarkFactor& factor, double regularization, const ClusterOptions& options, int threads = 2)
      : n(int64_t(factor.columns.size()) / factor.each),
        affinity(factor, RowSpace(n, threads)),
        L(affinity, affinity.degrees({}), regularization),
        pairs(solve_transfer(L, options)) {}
  int64_t n;
  LandmarkAffinity affinity;
  Normalized<float> L;
  Solution<float> pairs;
};

ClusterOptions options_for(int64_t clusters) {
  ClusterOptions options;
  options.clusters = clusters;
  return options;
}

TEST(Transfer, AgreesWithLapackOnTwentyRandomProblems) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const int64_t n = 200 + 37 * int64_t(seed), p = 20 + 13 * int64_t(seed), each = 2 + int64_t(seed % 5);
    const int64_t k = 2 + int64_t(seed % 6);
    const double regularization = seed % 3 == 2 ? 0.05 : 0;
    const LandmarkFactor factor = random_factor(n, p, each, seed);
    const Truth truth(factor, regularization);
    const Solved solved(factor, regularization, options_for(k));
    const MatrixXd W = to_eigen(solved.pairs.vectors);
    EXPECT_LT(testing::departure(W), 1e-5) << seed;
    for (int64_t j = 0; j < k; ++j) {
      EXPECT_NEAR(solved.pairs.values[size_t(j)], truth.values[j], 2e-6) << seed;
      const double residual = (truth.L * W.col(j) - solved.pairs.values[size_t(j)] * W.col(j)).norm();
      EXPECT_LT(residual, 5e-6) << seed;
      EXPECT_NEAR(solved.pairs.residuals[size_t(j)], residual, 3e-6) << seed;
    }
    const double gap = truth.values[k - 1] - truth.values[k];
    EXPECT_LT(largest_sine(truth.vectors.leftCols(k), W) * gap, 1e-5) << seed;
    EXPECT_EQ(solved.pairs.status, Status::finished) << seed;
    EXPECT_EQ(solved.pairs.full_products, 1);
  }
}

TEST(Transfer, TheGraphOfTheLandmarksIsTheProductOfItsFactors) {
  for (const double regularization : {0.0, 0.1}) {
    const LandmarkFactor factor = random_factor(300, 40, 4, 3);
    const LandmarkAffinity affinity(factor, RowSpace(300, 2));
    const Normalized<float> L(affinity, affinity.degrees({}), regularization);
    const SparseMatrix H = shared_points(L, factor);
    MatrixXd B = dense_factor(factor);
    const VectorXd d = B.rowwise().sum().array() + L.regularization_added();
    if (regularization > 0) {
      B.conservativeResize(300, 41);
      B.col(40).setConstant(L.regularization_added());
    }
    const MatrixXd expected = B.transpose() * d.cwiseInverse().asDiagonal() * B;
    ASSERT_EQ(H.rows(), B.cols());
    MatrixXd found = MatrixXd::Zero(H.rows(), H.rows());
    for (int64_t r = 0; r < H.rows(); ++r)
      for (int64_t e = H.starts[size_t(r)]; e < H.starts[size_t(r + 1)]; ++e)
        found(r, H.columns[size_t(e)]) = double(H.values[size_t(e)]);
    EXPECT_LT((found - expected).norm(), 1e-6 * expected.norm());
    EXPECT_TRUE(found == found.transpose());
  }
}

TEST(Transfer, ATightToleranceIsReportedHonestly) {
  const LandmarkFactor factor = random_factor(400, 50, 4, 5);
  ClusterOptions options = options_for(3);
  options.limits.tolerance = 1e-4;
  EXPECT_EQ(Solved(factor, 0, options).pairs.status, Status::converged);
  options.limits.tolerance = 1e-12;
  EXPECT_EQ(Solved(factor, 0, options).pairs.status, Status::stalled);
}

TEST(Transfer, AsManyClustersAsLandmarks) {
  const LandmarkFactor factor = random_factor(300, 6, 3, 8);
  const Truth truth(factor, 0);
  const Solved solved(factor, 0, options_for(6));
  for (int64_t j = 0; j < 6; ++j) EXPECT_NEAR(solved.pairs.values[size_t(j)], truth.values[j], 2e-6);
  EXPECT_LT(largest_sine(truth.vectors.leftCols(6), to_eigen(solved.pairs.vectors)), 1e-3);
}

TEST(Transfer, SameBitsForAnyNumberOfThreads) {
  const LandmarkFactor factor = random_factor(9000, 120, 5, 4);
  const Solved one(factor, 0, options_for(4), 1);
  for (const int threads : {2, 3}) {
    const Solved many(factor, 0, options_for(4), threads);
    EXPECT_EQ(one.pairs.values, many.pairs.values);
    const Matrix<float>&a = one.pairs.vectors, &b = many.pairs.vectors;
    EXPECT_TRUE(std::equal(a.data(), a.data() + a.size(), b.data()));
  }
}

TEST(Transfer, ClosePairsAreUnresolved) {
  // Two separate halves, asked for one cluster: the first two eigenvalues are both 1.
  LandmarkFactor factor = random_factor(200, 20, 1, 6);
  for (size_t i = 0; i < 200; ++i) factor.columns[i] = int32_t(i % 2);
  factor.degrees.assign(20, 0);
  for (size_t i = 0; i < 200; ++i) factor.degrees[i % 2] += double(factor.weights[i]);
  EXPECT_EQ(Solved(factor, 0, options_for(1)).pairs.status, Status::unresolved);
}

TEST(Transfer, NeedsAFactor) {
  const Matrix<float> X = testing::random_matrix<float>(30, 2, 1);
  const KernelAffinity<float> affinity(Points(X.view()), {KernelKind::rbf, 1}, RowSpace(30, 1));
  const Normalized<float> L(affinity, affinity.degrees({}), 0);
  EXPECT_THROW(solve_transfer(L, options_for(2)), InvalidInput);
}

}  // namespace
}  // namespace mbsc
