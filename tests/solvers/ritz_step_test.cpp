// SPDX-License-Identifier: Apache-2.0
// How the mini-batches choose their landmarks, and the Ritz step.
#include "mbsc/solvers/minibatch/ritz_step.h"

#include <gtest/gtest.h>

#include "mbsc/solvers/minibatch/importance.h"
#include "mbsc/solvers/rayleigh_ritz.h"
#include "tests/solvers/ritz_problem.h"

namespace mbsc {
namespace {

using Eigen::MatrixXd;
using testing::clouds;
using testing::DenseProblem;
using testing::k;
using testing::n;
using testing::problem;
using testing::to_eigen;

constexpr uint64_t seed = 3;

TEST(Importance, OutlierPairsAreAlwaysAmongTheLandmarks) {
  // Two points are near each other and far from all others. Their indicator is an eigenvector with eigenvalue 1.
  Matrix<double> X = clouds<double>(n, 2, 3.0, 1);
  X(0, 0) = 60, X(1, 0) = 61.2;
  X(0, 1) = X(1, 1) = 60;
  const KernelAffinity<double> affinity(Points(X.view()), {KernelKind::rbf, 0.5}, RowSpace(n, 2));
  const Normalized<double> L(affinity, affinity.degrees({}), 0);
  for (uint64_t draw = 0; draw < 20; ++draw) {
    const auto chosen = important_columns(L, 30, true, draw);
    EXPECT_EQ(chosen[0], 0) << draw;
    EXPECT_EQ(chosen[1], 1) << draw;
    EXPECT_EQ(chosen.size(), 30u);
  }
}

TEST(RitzStep, IsAPowerStepWithoutNoiseAndNoStepIfAllIsNoise) {
  // W has six random columns, three more than k. Its image LW is known exactly, so there is no noise.
  const DenseProblem<double>& p = problem();
  const MatrixXd W = to_eigen(random_basis(p.L, 6, seed));
  const MatrixXd G = p.dense * W, T = W.transpose() * G, H = G - W * T, zero = MatrixXd::Zero(6, 6);
  const MatrixXd signal = H.transpose() * H;
  const RitzStep known = ritz_step(T, signal, zero, 0, k);
  EXPECT_TRUE(known.is_heard);
  const MatrixXd next = testing::orthonormal_basis(W * known.turn + H * known.add);
  EXPECT_LT(p.error(next, k), 0.7 * p.error(W, k));
  const double before = (W.transpose() * p.dense * W).trace(), after = (next.transpose() * p.dense * next).trace();
  EXPECT_GT(after, 1.5 * before);

  const RitzStep noise = ritz_step(T, signal, signal, 0, k);
  EXPECT_FALSE(noise.is_heard);
  EXPECT_EQ(noise.add.norm(), 0);
  EXPECT_LT((noise.turn.transpose() * noise.turn - MatrixXd::Identity(6, 6)).norm(), 1e-12) << "a rotation";
  EXPECT_LT((noise.turn.transpose() * T * noise.turn - MatrixXd(noise.values.asDiagonal())).norm(), 1e-9)
      << "to the Ritz vectors";
}

TEST(RitzStep, ShrinkageIsBetweenNothingAndAll) {
  EXPECT_EQ(shrinkage(1, 0), 1);
  EXPECT_EQ(shrinkage(1, 1), 0);
  EXPECT_EQ(shrinkage(0, 0), 0);
  EXPECT_DOUBLE_EQ(shrinkage(3, 1), 0.5);
}

}  // namespace
}  // namespace mbsc
