// SPDX-License-Identifier: Apache-2.0
// The mini-batches of the paper, with AdaGrad steps (solvers/paper).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>

#include "mbsc/solvers/paper/paper.h"
#include "tests/solvers/dense_problem.h"

namespace mbsc {
namespace {

using Eigen::MatrixXd;
using testing::clouds;
using testing::DenseProblem;
using testing::departure;
using testing::to_eigen;

constexpr int64_t n = 400, k = 3;

const DenseProblem<float>& problem() {
  static const DenseProblem<float> p(clouds<float>(n, 3, 5.0, 1), 0.5);
  return p;
}

ClusterOptions options_for(double passes, int64_t batch_size = 40) {
  ClusterOptions options;
  options.clusters = k;
  options.limits.passes = passes;
  options.batch_size = batch_size;
  options.seed = 3;
  return options;
}

double trace(const MatrixXd& L, const MatrixXd& W) { return (W.transpose() * L * W).trace(); }

bool same_bits(const Matrix<float>& a, const Matrix<float>& b) {
  return a.size() == b.size() && std::equal(a.data(), a.data() + a.size(), b.data());
}

TEST(MiniBatch, TraceRisesToTheSumOfTheLeadingEigenvalues) {
  for (const Estimator estimator : {Estimator::columns, Estimator::signs})
    for (const Sampling sampling : {Sampling::reshuffle, Sampling::independent}) {
      ClusterOptions options = options_for(40);
      options.adagrad.estimator = estimator;
      options.adagrad.sampling = sampling;
      std::vector<double> traces;
      const EigenPairs<float> pairs = solve_paper<float>(problem().L, options, [&](const Progress<float>& p) {
        if (p.iteration % 20 == 1) traces.push_back(trace(problem().dense, to_eigen(p.basis)));
        return true;
      });
      const double best = problem().values.head(k).sum(), last = trace(problem().dense, to_eigen(pairs.vectors));
      fmt::print("trace: first {:.3f}, after 40 passes {:.4f}, exact {:.4f}\n", traces.front(), last, best);
      EXPECT_LT(traces.front(), 0.8 * best);
      // The relative error of the trace is about the square of the subspace error, which is below 0.2 here.
      EXPECT_GT(last, 0.96 * best);
      EXPECT_LE(last, best + 1e-5);
    }
}

TEST(MiniBatch, BasisStaysOrthonormalAfterEveryOneOfAThousandSteps) {
  ClusterOptions options = options_for(1e6, 20);
  options.limits.iterations = 1000;
  double worst = 0;
  const EigenPairs<float> pairs = solve_paper<float>(problem().L, options, [&](const Progress<float>& p) {
    worst = std::max(worst, departure(to_eigen(p.basis)));
    return true;
  });
  EXPECT_EQ(pairs.iterations, 1000);
  fmt::print("|W'W - I| over 1,000 steps: at most {:.2e}, at the end {:.2e}\n", worst,
             departure(to_eigen(pairs.vectors)));
  EXPECT_LT(worst, 1e-5);
  EXPECT_LT(departure(to_eigen(pairs.vectors)), 1e-5);
}

TEST(MiniBatch, SubspaceErrorFallsWithPasses) {
  std::vector<double> errors;
  for (const double passes : {1.0, 8.0, 64.0}) {
    const EigenPairs<float> pairs = solve_paper<float>(problem().L, options_for(passes));
    errors.push_back(problem().error(to_eigen(pairs.vectors), k));
  }
  fmt::print("subspace error after 1, 8, 64 passes: {:.2e} {:.2e} {:.2e}\n", errors[0], errors[1], errors[2]);
  // AdaGrad's noise falls at least as fast as 1/sqrt(passes), which is a factor of 2.8 for eight times the passes. The
  // test requires half of this factor.
  EXPECT_LT(errors[1], errors[0] / 1.4);
  EXPECT_LT(errors[2], errors[1] / 1.4);
}

TEST(MiniBatch, ANystromStartBeginsNearerAndIsCounted) {
  ClusterOptions options = options_for(0.1);
  const double random = problem().error(to_eigen(solve_paper<float>(problem().L, options).vectors), k);
  options.start = Start::nystrom;
  options.landmarks = 60;
  const EigenPairs<float> pairs = solve_paper<float>(problem().L, options);
  EXPECT_LT(problem().error(to_eigen(pairs.vectors), k), random);
  EXPECT_EQ(pairs.landmarks, 60);
  EXPECT_EQ(pairs.columns_evaluated, 60 + 40);
}

TEST(MiniBatch, BudgetsEndItWherePromised) {
  EigenPairs<float> pairs = solve_paper<float>(problem().L, options_for(2.5));
  EXPECT_EQ(pairs.columns_evaluated, 1000);
  EXPECT_EQ(pairs.iterations, 25);
  EXPECT_EQ(pairs.batch_size, 40);
  EXPECT_EQ(pairs.status, Status::finished);
  EXPECT_EQ(pairs.trace.size(), 25u);
  EXPECT_FALSE(pairs.values_are_exact);
  EXPECT_TRUE(pairs.residuals.empty());
  const double N = double(n), K = double(k);
  EXPECT_DOUBLE_EQ(pairs.flops, 25 * (2 * N * K * 40 + 6 * N * K * K - K * K));

  ClusterOptions options = options_for(100);
  options.limits.iterations = 7;
  pairs = solve_paper<float>(problem().L, options);
  EXPECT_EQ(pairs.iterations, 7);

  options = options_for(1);
  options.limits.passes.reset();  // the default on small data is 200 iterations
  EXPECT_EQ(solve_paper<float>(problem().L, options).iterations, 200);

  options = options_for(100);
  options.limits.seconds = 1e-9;  // already spent, but without a first batch there is no answer
  EXPECT_EQ(solve_paper<float>(problem().L, options).iterations, 1);

  options = options_for(1000);
  options.limits.stall = 1.0;  // no step can move a subspace by more than 1
  pairs = solve_paper<float>(problem().L, options);
  EXPECT_EQ(pairs.iterations, 1);
  EXPECT_EQ(pairs.status, Status::finished);
  options.limits.tolerance = 1e-9;
  EXPECT_EQ(solve_paper<float>(problem().L, options).status, Status::stalled);
}

TEST(MiniBatch, ToleranceIsCertifiedByRecomputedResiduals) {
  ClusterOptions options = options_for(200);
  options.limits.tolerance = 0.1;
  const EigenPairs<float> converged = solve_paper<float>(problem().L, options);
  EXPECT_EQ(converged.status, Status::converged);
  options.limits.tolerance = 1e-9;
  options.limits.passes = 2;
  const EigenPairs<float> spent = solve_paper<float>(problem().L, options);
  EXPECT_EQ(spent.status, Status::budget);
  for (const EigenPairs<float>* pairs : {&converged, &spent}) {
    EXPECT_TRUE(pairs->values_are_exact);
    EXPECT_GE(pairs->full_products, 1);
    ASSERT_EQ(pairs->residuals.size(), size_t(k));
    const MatrixXd W = to_eigen(pairs->vectors);
    for (int64_t j = 0; j < k; ++j) {
      // The bound is the float rounding of a product with unit vectors.
      EXPECT_NEAR(pairs->values[size_t(j)], W.col(j).dot(problem().dense * W.col(j)), 2e-6);
      EXPECT_NEAR(pairs->residuals[size_t(j)], problem().residual(W.col(j), pairs->values[size_t(j)]), 2e-6);
    }
  }
  EXPECT_LE(*std::max_element(converged.residuals.begin(), converged.residuals.end()), 0.1);
  EXPECT_GT(*std::max_element(spent.residuals.begin(), spent.residuals.end()), 1e-9);
}

TEST(MiniBatch, AnObserverOrAStopTokenEndsItWithWhatItHas) {
  const EigenPairs<float> ended =
      solve_paper<float>(problem().L, options_for(100), [](const Progress<float>& p) { return p.iteration < 5; });
  EXPECT_EQ(ended.status, Status::stopped);
  EXPECT_EQ(ended.iterations, 5);
  EXPECT_LT(departure(to_eigen(ended.vectors)), 1e-5);

  std::atomic<bool> asked{false};
  ClusterOptions options = options_for(100);
  options.stop = StopToken(asked);
  const EigenPairs<float> stopped = solve_paper<float>(problem().L, options, [&](const Progress<float>& p) {
    asked = p.iteration == 9;
    return true;
  });
  EXPECT_EQ(stopped.status, Status::stopped);
  EXPECT_EQ(stopped.iterations, 9);

  // If the token is raised before the start, the first product throws, and the solver still returns a basis.
  asked = true;
  const EigenPairs<float> at_once = solve_paper<float>(problem().L, options);
  EXPECT_EQ(at_once.status, Status::stopped);
  EXPECT_EQ(at_once.iterations, 0);
  EXPECT_LT(departure(to_eigen(at_once.vectors)), 1e-5);
}

TEST(MiniBatch, HasTheSameBitsForAnyNumberOfThreadsAndEveryTime) {
  for (const Estimator estimator : {Estimator::columns, Estimator::signs}) {
    ClusterOptions options = options_for(2);
    options.adagrad.estimator = estimator;
    options.start = Start::nystrom;
    const EigenPairs<float> first = solve_paper<float>(problem().L, options);
    for (const int threads : {1, 2, 3}) {
      const DenseProblem<float>& p = problem();
      const KernelAffinity<float> A(Points(p.X.view()), {KernelKind::rbf, 0.5}, RowSpace(n, threads));
      const Normalized<float> L(A, A.degrees({}).sum, 0);
      const EigenPairs<float> pairs = solve_paper<float>(L, options);
      EXPECT_TRUE(same_bits(pairs.vectors, first.vectors)) << threads << " threads";
      EXPECT_EQ(pairs.values, first.values);
    }
    options.seed = 4;
    EXPECT_FALSE(same_bits(solve_paper<float>(problem().L, options).vectors, first.vectors));
  }
}

TEST(MiniBatch, RegularizationIsExactAndSoIsItsSolution) {
  // The regularization is so strong that its rank-one part dominates. If that part were sampled, its noise would
  // remain.
  const DenseProblem<float> p(clouds<float>(n, 3, 5.0, 1), 0.5, 5.0);
  ClusterOptions options = options_for(30);
  options.clusters = 1;
  const EigenPairs<float> pairs = solve_paper<float>(p.L, options);
  EXPECT_LT(p.error(to_eigen(pairs.vectors), 1), 0.05);
  EXPECT_NEAR(pairs.values[0], 1, 0.01);
  options.limits.tolerance = 1e-9;
  options.clusters = k;
  const EigenPairs<float> certified = solve_paper<float>(p.L, options);
  const MatrixXd W = to_eigen(certified.vectors);
  for (int64_t j = 0; j < k; ++j)
    EXPECT_NEAR(certified.residuals[size_t(j)], p.residual(W.col(j), certified.values[size_t(j)]), 2e-6);
}

TEST(MiniBatch, OneColumnABatchAndAllColumnsABatchWork) {
  EigenPairs<float> pairs = solve_paper<float>(problem().L, options_for(1, 1));
  EXPECT_EQ(pairs.iterations, n);
  EXPECT_LT(departure(to_eigen(pairs.vectors)), 1e-5);
  pairs = solve_paper<float>(problem().L, options_for(60, n));  // plain gradient ascent
  EXPECT_LT(problem().error(to_eigen(pairs.vectors), k), 0.1);
}

}  // namespace
}  // namespace mbsc
