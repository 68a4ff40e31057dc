// SPDX-License-Identifier: Apache-2.0
// Tests of the block that a solver computes (keep_block), of its guard columns (block_size), and of the start of exact.
#include <gtest/gtest.h>

#include "mbsc/cluster.h"
#include "mbsc/solvers/krylov/exact.h"
#include "mbsc/solvers/power/power.h"
#include "mbsc/solvers/registry.h"
#include "tests/solvers/dense_problem.h"

namespace mbsc {
namespace {

using Eigen::MatrixXd;
using testing::clouds;
using testing::DenseProblem;
using testing::departure;
using testing::to_eigen;

constexpr int64_t k = 4;

/// A problem whose eigenvalues fall slowly, so that guard columns help.
const DenseProblem<double>& problem() {
  static const DenseProblem<double> p(clouds<double>(400, k, 1.5, 1), 1.0);
  return p;
}

ClusterOptions options_with(std::optional<int64_t> block_size, const char* method = "exact") {
  ClusterOptions options;
  options.method = method;
  options.clusters = k;
  options.block_size = block_size;
  options.keep_block = true;
  options.landmarks = 60;
  return options;
}

TEST(Block, IsOrthonormalAndHoldsTheResultWhereThereIsNoCertificate) {
  for (const char* method : {"minibatch", "nystrom", "power", "exact"}) {
    ClusterOptions options = options_with(3 * k, method);
    options.limits.passes = 1;
    const EigenPairs<double> pairs = solve<double>(problem().L, options, [](const Progress<double>&) { return false; });
    const MatrixXd block = to_eigen(pairs.block), W = to_eigen(pairs.vectors);
    ASSERT_GE(block.cols(), k) << method;
    EXPECT_LT(departure(block), 1e-12) << method;
    // exact returns Ritz vectors X, but its block spans L X, so the block need not contain X.
    if (options.method != "exact") {
      EXPECT_LT(testing::rms_sine(W, block), 1e-10) << method;
    }
    options.keep_block = false;
    EXPECT_TRUE(solve<double>(problem().L, options).block.empty()) << method;
  }
}

TEST(Block, OfPowerAndNystromHasAsManyColumnsAsAskedForAndTheLeadingOnesFirst) {
  for (const char* method : {"nystrom", "power"}) {
    const EigenPairs<double> pairs = solve<double>(problem().L, options_with(3 * k, method));
    const MatrixXd block = to_eigen(pairs.block);
    ASSERT_EQ(block.cols(), 3 * k);
    ASSERT_EQ(pairs.vectors.cols(), k);
    EXPECT_LT(testing::rms_sine(to_eigen(pairs.vectors), block.leftCols(k)), 1e-10);
    EXPECT_LT(problem().error(block, k), problem().error(to_eigen(pairs.vectors), k));
  }
}

TEST(Block, GuardColumnsBringThePowerMethodNearer) {
  const auto error = [](int64_t block_size) {
    ClusterOptions options = options_with(block_size, "power");
    options.limits.iterations = 6;
    return problem().error(to_eigen(solve_power<double>(problem().L, options).vectors), k);
  };
  // Each product reduces the error by the factor lambda_13/lambda_4 instead of lambda_5/lambda_4.
  EXPECT_LT(std::pow(problem().values[3 * k] / problem().values[k], 5), 0.1);
  EXPECT_LT(error(3 * k), 0.5 * error(k));
}

TEST(Block, OfExactIsWhatEachProductMadeOfTheRitzVectors) {
  ClusterOptions options = options_with(3 * k);
  options.limits.tolerance = 1e-12;
  double before = 1;
  const EigenPairs<double> pairs = solve_exact<double>(problem().L, options, [&](const Progress<double>& progress) {
    const MatrixXd block = to_eigen(progress.basis);
    EXPECT_EQ(block.cols(), 3 * k);
    EXPECT_LT(departure(block), 1e-12);
    const double error = problem().error(block, k);
    EXPECT_LT(error, 0.7 * before) << progress.iteration;
    before = error;
    return progress.iteration < 3;
  });
  EXPECT_EQ(pairs.full_products, 3) << "no certificate";
  EXPECT_DOUBLE_EQ(problem().error(to_eigen(pairs.block), k), before);
  // The Ritz vectors do not include the last product yet.
  EXPECT_LT(before, problem().error(to_eigen(pairs.vectors), k));
}

TEST(Block, OfExactPutsEigenvectorsOfNegativeEigenvaluesLast) {
  Matrix<double> X = clouds<double>(158, 3, 8.0, 1);
  for (int64_t i = 0; i < 8; ++i) {  // four pairs far from everything: eigenvalues 1 and -1 each
    X(150 + i, 0) = double(100 * (i / 2 + 1));
    X(150 + i, 1) = 0.5 * double(i % 2);
  }
  const DenseProblem<double> p(X, 0.3);
  ASSERT_LT(p.values[p.n() - 4], -0.999);
  ClusterOptions options;
  options.clusters = 7;
  options.block_size = 21;
  options.keep_block = true;
  const EigenPairs<double> pairs =
      solve_exact<double>(p.L, options, [](const Progress<double>& progress) { return progress.iteration < 4; });
  EXPECT_LT(p.error(to_eigen(pairs.block).leftCols(7), 7), 1e-3);
}

TEST(Exact, FromNystromCountsTheLandmarksAndIsNearerAfterOneProduct) {
  const auto after_one_product = [](Start start) {
    ClusterOptions options = options_with(3 * k);
    options.start = start;
    return solve_exact<double>(problem().L, options, [](const Progress<double>&) { return false; });
  };
  const EigenPairs<double> cold = after_one_product(Start::random), warm = after_one_product(Start::nystrom);
  EXPECT_EQ(cold.columns_evaluated, problem().n());
  EXPECT_EQ(warm.landmarks, 60);
  EXPECT_EQ(warm.columns_evaluated, problem().n() + 60);
  EXPECT_LT(problem().error(to_eigen(warm.block), k), 0.1 * problem().error(to_eigen(cold.block), k));
}

TEST(Exact, FromNystromFindsWhatTheLandmarksMissed) {
  ClusterOptions options = options_with({});
  options.start = Start::nystrom;
  options.landmarks = 2;  // the rank of the start; it is below k
  const EigenPairs<double> pairs = solve_exact<double>(problem().L, options);
  EXPECT_EQ(pairs.status, Status::converged);
  EXPECT_LT(problem().error(to_eigen(pairs.vectors), k), 1e-8);
}

TEST(Block, LargerThanTheProblemIsRefused) {
  const InputShape shape{problem().n(), 2};
  for (const char* method : {"exact", "nystrom", "power"}) {
    ClusterOptions options = options_with(shape.n, method);
    if (options.method == "power") options.landmarks.reset();  // power has no landmarks
    EXPECT_NO_THROW(resolve(shape, options)) << method;
    options.block_size = shape.n + 1;
    EXPECT_THROW(resolve(shape, options), InvalidInput) << method;
  }
}

}  // namespace
}  // namespace mbsc
