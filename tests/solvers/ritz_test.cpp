// SPDX-License-Identifier: Apache-2.0
// Mini-batches with Ritz steps.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numeric>

#include "mbsc/affinity/degrees/sampled_degrees.h"
#include "mbsc/base/random.h"
#include "mbsc/cluster.h"
#include "mbsc/solvers/minibatch/minibatch.h"
#include "mbsc/solvers/rayleigh_ritz.h"
#include "tests/solvers/ritz_problem.h"

namespace mbsc {
namespace {

using Eigen::MatrixXd;
using testing::clouds;
using testing::DenseProblem;
using testing::k;
using testing::n;
using testing::options_for;
using testing::problem;
using testing::to_eigen;

TEST(Ritz, ErrorFallsTwentyfoldFromOneToTwentyPassesWithoutPolish) {
  for (const bool control_variate : {true, false})
    for (const Start start : {Start::random, Start::nystrom}) {
      std::vector<double> errors;
      for (const double passes : {1.0, 20.0}) {
        ClusterOptions options = options_for(passes);
        options.ritz.polish = false;
        options.landmarks = 20;  // a poor start and a poor model: the batches do the work
        options.guards = 2;
        options.start = start;
        options.ritz.control_variate = control_variate;
        errors.push_back(problem().error(to_eigen(solve_minibatch<double>(problem().L, options).vectors), k));
      }
      fmt::print("1 and 20 passes: {:.1e} {:.1e}\n", errors[0], errors[1]);
      EXPECT_LT(errors[1], errors[0] / 20);
    }
}

TEST(Ritz, KeepsToItsBudgetAndIsNearTheExactAnswer) {
  for (const double passes : {0.1, 0.25, 0.5, 1.0, 1.4, 2.0, 3.0}) {
    const EigenPairs<double> pairs = solve_minibatch<double>(problem().L, options_for(passes));
    const double error = problem().error(to_eigen(pairs.vectors), k);
    fmt::print("{} passes: {:.3f} spent, error {:.1e}, estimated {:.1e}\n", passes, double(pairs.columns_evaluated) / n,
               error, pairs.subspace_error);
    EXPECT_LE(pairs.columns_evaluated, int64_t(passes * n + 0.5));
    EXPECT_LT(error, passes >= 2 ? 1e-4 : passes >= 0.5 ? 0.01 : 0.3);
    EXPECT_EQ(pairs.residuals.empty(), passes < 1.5);
    if (pairs.residuals_are_bounds) {
      const MatrixXd X = to_eigen(pairs.vectors);
      for (int64_t j = 0; j < k; ++j) {
        const Eigen::VectorXd x = X.col(j), image = problem().dense * x;
        EXPECT_LE((image - x * x.dot(image)).norm(), pairs.residuals[size_t(j)] + 1e-9);
      }
    }
  }
}

TEST(Ritz, SampledDegreesBecomeExact) {
  for (const double regularization : {0.0, 0.1}) {
    const DenseProblem<double> p(clouds<double>(n, 3, 5.0, 1), 0.5, regularization);
    const Normalized<double> rough = p.L.with(sample_degrees(p.A, 100, 5, {}).degrees);
    const auto solve_within = [&](std::optional<double> passes, std::optional<double> tolerance) {
      ClusterOptions options = options_for(1);
      options.limits.passes = passes;
      options.limits.tolerance = tolerance;
      const Solution<double> pairs = solve_minibatch<double>(rough, options);
      const double error = p.error(to_eigen(pairs.vectors), k);
      const double of_degrees = degree_error(p.L.rows(), pairs.degrees.value_or(rough.all_degrees())).relative;
      fmt::print("{} passes, {} spent: error {:.1e}, estimated {:.1e}, of degrees {:.1e}\n", passes.value_or(0),
                 double(pairs.columns_evaluated) / n, error, pairs.subspace_error, of_degrees);
      if (passes) {
        EXPECT_LE(pairs.columns_evaluated, int64_t(*passes * n + 0.5));
      }
      return std::tuple(error, of_degrees, pairs);
    };
    const double sampled = degree_error(p.L.rows(), rough.all_degrees()).relative;
    EXPECT_GT(sampled, 0.1);
    EXPECT_LT(std::get<1>(solve_within(0.5, {})), 0.6 * sampled);
    for (const auto& [passes, tolerance, within] :
         {std::tuple<std::optional<double>, std::optional<double>, double>{1.0, {}, 0.01},
          {2.0, {}, 2e-3},
          {3.0, {}, 1e-4},
          {1.9, 1e-14, 0.03},  // one product after 0.9 passes: exact degrees and the certificate
          {{}, 1e-8, 1e-7}}) {
      const auto [error, of_degrees, pairs] = solve_within(passes, tolerance);
      EXPECT_EQ(of_degrees, 0);
      EXPECT_LT(error, within);
      ASSERT_TRUE(pairs.degrees.has_value());
      for (size_t i = 0; i < size_t(n); ++i)
        ASSERT_NEAR(pairs.degrees->sum[i], p.L.degrees()[i], 1e-10 * p.L.degrees()[i]);
      const MatrixXd X = to_eigen(pairs.vectors);
      for (size_t j = 0; j < pairs.residuals.size(); ++j) {
        const Eigen::VectorXd x = X.col(int64_t(j)), image = p.dense * x;
        EXPECT_LE((image - x * x.dot(image)).norm(), pairs.residuals[j] + 1e-9);
      }
    }
  }
}

TEST(Ritz, BatchesGoOnAfterDegreesHaveBecomeExact) {
  const Normalized<double> rough = problem().L.with(sample_degrees(problem().A, 100, 5, {}).degrees);
  for (const auto& [passes, polish, landmarks] : {std::tuple<double, bool, std::optional<int64_t>>{1.4, true, {}},
                                                  {3.0, false, {}},
                                                  {2.45, true, {}},
                                                  {1.0, true, n}}) {
    ClusterOptions options = options_for(passes);
    options.ritz.polish = polish;
    options.landmarks = landmarks;
    const Solution<double> pairs = solve_minibatch<double>(rough, options);
    EXPECT_LE(pairs.columns_evaluated, int64_t(passes * n + 0.5));
    ASSERT_TRUE(pairs.degrees.has_value());
    for (size_t i = 0; i < size_t(n); ++i)
      ASSERT_NEAR(pairs.degrees->sum[i], problem().L.degrees()[i], 1e-10 * problem().L.degrees()[i]);
    const double error = problem().error(to_eigen(pairs.vectors), k);
    fmt::print("{} passes: error {:.1e}\n", passes, error);
    EXPECT_LT(error, 2e-3);
  }
}

TEST(Ritz, PointsThatTurnOutToBeIsolatedAreSoWithRegularizationToo) {
  // Half of the distant points have a partner. Therefore sampling assigns a positive degree to the distant points of
  // which it has seen no affinity.
  Matrix<float> X = clouds<float>(n, 2, 3.0, 1);
  for (int64_t i = 0; i < 150; ++i) X(i, 0) = 1000 + 100 * float(i < 75 ? i : (i - 75) / 2) + (i < 75 ? 0 : 10000);
  for (int64_t i = 75; i < 150; ++i) X(i, 1) = i % 2 == 0 ? 0.0f : 0.5f;
  const KernelAffinity<float> A(Points(X.view()), {KernelKind::rbf, 0.5}, RowSpace(n, 1));
  const Degrees exact = A.degrees({});
  for (const double regularization : {0.0, 0.01}) {
    const Normalized<float> rough(A, sample_degrees(A, 60, 5, {}).degrees, regularization);
    const Solution<float> pairs = solve_minibatch<float>(rough, options_for(2.5));
    ASSERT_TRUE(pairs.degrees.has_value());
    int64_t isolated = 0, guessed = 0;
    for (size_t i = 0; i < size_t(n); ++i) {
      isolated += exact.sum[i] == 0;
      guessed += exact.sum[i] == 0 && rough.degrees()[i] > 0;
      EXPECT_NEAR(pairs.degrees->sum[i], exact.sum[i], 1e-5 * exact.sum[i]) << i;
    }
    fmt::print("{} isolated, {} of them not seen as such at first\n", isolated, guessed);
    EXPECT_GT(guessed, 10);
    for (int64_t i = 0; i < pairs.vectors.size(); ++i) ASSERT_TRUE(std::isfinite(pairs.vectors.data()[i]));
  }
}

TEST(Ritz, IterationsAreBatches) {
  ClusterOptions options = options_for(1);
  options.limits.passes.reset();
  options.landmarks = 20;
  options.guards = 0;
  options.batch_size = 30;
  for (const int64_t iterations : {1, 4, 12, 60}) {
    options.limits.iterations = iterations;
    const EigenPairs<double> pairs = solve_minibatch<double>(problem().L, options);
    EXPECT_EQ(pairs.iterations, 1 + iterations) << "the start and the batches";
    EXPECT_GE(pairs.columns_evaluated, std::min<int64_t>(20 + 30 * iterations, n));
    EXPECT_LE(pairs.columns_evaluated, 20 + 30 * iterations + n / 16) << "fixed columns beside";
  }
}

TEST(Ritz, ToleranceAloneIsReachedAndRecomputed) {
  ClusterOptions options = options_for(1);
  options.limits.passes.reset();
  options.limits.tolerance = 1e-8;
  const EigenPairs<double> pairs = solve_minibatch<double>(problem().L, options);
  EXPECT_EQ(pairs.status, Status::converged);
  EXPECT_FALSE(pairs.residuals_are_bounds);
  EXPECT_LE(largest_residual(pairs), 1e-8);
  EXPECT_LT(problem().error(to_eigen(pairs.vectors), k), 1e-7);
}

TEST(Ritz, ABudgetHoldsBesideATolerance) {
  for (const double passes : {0.5, 1.1, 1.5, 2.0, 2.5, 3.0, 4.0}) {
    ClusterOptions options = options_for(passes);
    options.limits.tolerance = 1e-14;
    const EigenPairs<double> pairs = solve_minibatch<double>(problem().L, options);
    EXPECT_LE(pairs.columns_evaluated, int64_t(passes * n + 0.5)) << passes;
    EXPECT_NE(pairs.status, Status::converged);
    EXPECT_EQ(pairs.residuals.empty(), passes < 1.05);
    EXPECT_FALSE(pairs.residuals_are_bounds);
  }
}

TEST(Ritz, IterationsHoldBesidePassesAndATolerance) {
  for (const bool tolerance : {false, true}) {
    ClusterOptions options = options_for(4);
    options.limits.iterations = 2;
    options.batch_size = 60;
    if (tolerance) options.limits.tolerance = 1e-14;
    const EigenPairs<double> pairs = solve_minibatch<double>(problem().L, options);
    EXPECT_EQ(pairs.iterations, 3) << "the start and two batches";
    EXPECT_EQ(pairs.full_products, tolerance ? 1 : 0) << "the certificate";
    EXPECT_EQ(pairs.residuals.empty(), !tolerance);
  }
}

TEST(Ritz, AToleranceIsCertifiedHoweverTheRunEnds) {
  ClusterOptions options = options_for(1);
  options.limits.passes.reset();
  options.limits.iterations = 300;
  options.limits.tolerance = 1e-3;
  const EigenPairs<double> by_iterations = solve_minibatch<double>(problem().L, options);
  ASSERT_EQ(by_iterations.residuals.size(), size_t(k));
  EXPECT_EQ(by_iterations.status, Status::converged);
  options.limits.iterations.reset();
  options.limits.stall = 1.0;  // the first step above its noise stalls
  options.limits.tolerance = 1e-14;
  const EigenPairs<double> stalled = solve_minibatch<double>(problem().L, options);
  EXPECT_EQ(stalled.residuals.size(), size_t(k));
  EXPECT_EQ(stalled.full_products, 1);
  EXPECT_EQ(stalled.status, Status::stalled);
}

TEST(Ritz, BudgetsWithoutEndAndMoreGuardsThanPointsAreNoTrouble) {
  ClusterOptions options = options_for(1e300);
  options.limits.tolerance = 1e-4;
  EXPECT_EQ(solve_minibatch<double>(problem().L, options).status, Status::converged);
  options = options_for(1);
  options.limits.passes.reset();
  options.limits.iterations = std::numeric_limits<int64_t>::max() / 2;
  options.limits.seconds = 0.2;
  EXPECT_EQ(solve_minibatch<double>(problem().L, options).vectors.cols(), k);
  options.method = "minibatch";
  options.guards = n;
  EXPECT_EQ(resolve({n, 2}, options).options.guards, n - k);
  EXPECT_EQ(solve_minibatch<double>(problem().L, options).guards, n - k);
  for (const int64_t bad : {n + 1, std::numeric_limits<int64_t>::max()}) {
    options.guards = bad;
    EXPECT_THROW(resolve({n, 2}, options), InvalidInput) << bad;
  }
}

TEST(Ritz, WithEveryColumnInMemoryItGoesOnForNothing) {
  ClusterOptions options = options_for(1);
  options.landmarks = n;
  options.ritz.polish = false;
  const EigenPairs<double> pairs = solve_minibatch<double>(problem().L, options);
  EXPECT_EQ(pairs.columns_evaluated, n);
  EXPECT_LT(problem().error(to_eigen(pairs.vectors), k), 1e-9);
}

TEST(Ritz, ProbeBoundsWhatIsLeft) {
  const EigenPairs<double> pairs = solve_minibatch<double>(problem().L, [] {
    ClusterOptions options = options_for(6);
    options.guards = 9;
    return options;
  }());
  ASSERT_TRUE(pairs.probe);
  ClusterOptions until = options_for(1);
  until.limits.passes.reset();
  until.limits.tolerance = 1e-8;
  const EigenPairs<double> certified = solve_minibatch<double>(problem().L, until);
  ASSERT_TRUE(certified.probe) << "with a tolerance too";
  EXPECT_GE(certified.probe->bound, problem().values[8]);
  EXPECT_LT(certified.probe->bound, problem().values[k - 1]);
  // The block has 12 columns, 4 of them probes. The other 8 columns find the first 8 eigenvalues, so the bound must be
  // at least eigenvalue 9.
  fmt::print("eigenvalue 9 is {:.3f}, bound {:.3f}, eigenvalue {} is {:.3f}\n", problem().values[8], pairs.probe->bound,
             k, problem().values[k - 1]);
  EXPECT_GE(pairs.probe->bound, problem().values[8]);
  EXPECT_LT(pairs.probe->bound, problem().values[k - 1]);
}

TEST(Ritz, OptionsThatBelongToAdaGradAreRefused) {
  const auto expect_refused = [](auto change) {
    ClusterOptions options = options_for(1);
    options.method = "minibatch";
    EXPECT_NO_THROW(resolve({n, 2}, options));
    change(options);
    EXPECT_THROW(resolve({n, 2}, options), InvalidInput);
  };
  expect_refused([](ClusterOptions& o) { o.adagrad.estimator = Estimator::signs; });
  expect_refused([](ClusterOptions& o) { o.adagrad.sampling = Sampling::independent; });
  expect_refused([](ClusterOptions& o) { o.guards = -1; });
  expect_refused([](ClusterOptions& o) {
    o.limits.tolerance = 1e-3;
    o.ritz.polish = false;
  });
}

}  // namespace
}  // namespace mbsc
