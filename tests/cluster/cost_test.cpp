// SPDX-License-Identifier: Apache-2.0
// Compares the cost that a clustering reports with the number of kernel values that each stage evaluates by itself.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "mbsc/affinity/kernel/kernel_affinity.h"
#include "mbsc/affinity/normalized.h"
#include "mbsc/cluster.h"
#include "mbsc/metrics/normalized_cut.h"
#include "mbsc/solvers/registry.h"
#include "tests/affinity/dense_oracle.h"

namespace mbsc {
namespace {

constexpr int64_t n = 3000;

/// Two rings, one inside the other. The features beyond the second are zero.
Matrix<float> rings(int64_t features = 2) {
  const Matrix<float> noise = testing::random_matrix<float>(n, 2, 1);
  Matrix<float> X(n, features);
  for (int64_t i = 0; i < n; ++i) {
    const double angle = 2 * std::numbers::pi * double(i) / double(n) * 13, radius = i % 2 == 0 ? 1.0 : 0.5;
    X(i, 0) = float(radius * std::cos(angle) + 0.03 * double(noise(i, 0)));
    X(i, 1) = float(radius * std::sin(angle) + 0.03 * double(noise(i, 1)));
  }
  return X;
}

ClusterOptions options_for(double gamma, double passes, int64_t clusters = 2) {
  ClusterOptions options;
  options.clusters = clusters;
  options.threads = 2;
  options.method = "minibatch";
  options.gamma = gamma;
  options.limits.passes = passes;
  options.regularization = 0;  // then no neighbors of weak points are evaluated again
  return options;
}

/// The number of kernel values that the clustering evaluated to find the degrees: all of its values minus those of the
/// solver and of the cut, which run again here. `neighbors`: entries of each row that the degree pass collects.
int64_t values_for_degrees(const Matrix<float>& X, const ClusterOptions& options, const Clustering& result,
                           int64_t neighbors) {
  const Plan plan = resolve({n, X.cols()}, options);
  const KernelAffinity<float> affinity(Points(X.view()), {KernelKind::rbf, *options.gamma}, RowSpace(n, 2));
  const Normalized<float> L(affinity, affinity.degrees({}, {}, neighbors), *options.regularization);
  const int64_t before = affinity.kernel_values();
  const Solution<float> pairs = solve<float>(L, plan.options);
  EXPECT_EQ(pairs.columns_evaluated, result.pairs.columns_evaluated) << "the same solver with the same degrees";
  EXPECT_EQ(pairs.values, result.pairs.values);
  if (result.cut.exact)
    normalized_cut<float>(affinity, L.degrees(), result.labels, options.clusters, {});
  else
    estimate_normalized_cut<float>(affinity, L.degrees(), result.labels, options.clusters, options.seed, {});
  return result.cost.kernel_values - (affinity.kernel_values() - before);
}

TEST(Cost, TheDegreePassRunsOnceWhetherOrNotNeighborsAreCollected) {
  struct Case {
    int64_t features, clusters;
    double gamma, passes;
    bool collects_neighbors, starts_from_them;
  };
  const Case cases[] = {
      {2, 2, 1000, 1, true, true},     // the kernel is too narrow for landmarks
      {2, 2, 1000, 0.3, true, true},   // the same with a smaller budget
      {2, 2, 0.01, 0.3, true, false},  // landmarks are a good start; several batches use the neighbors
      {80, 6, 1e-4, 1, false, false},  // a step would cost more than the pass: one batch, without neighbors
  };
  for (const Case& c : cases) {
    const Matrix<float> X = rings(c.features);
    const ClusterOptions options = options_for(c.gamma, c.passes, c.clusters);
    const Clustering result = cluster(Points(X.view()), options);
    EXPECT_EQ(result.pairs.start_is_graph, c.starts_from_them) << c.gamma;
    EXPECT_EQ(result.plan.options.start, c.starts_from_them ? Start::neighbors : Start::nystrom);
    const int64_t values = values_for_degrees(X, options, result, c.collects_neighbors ? 16 : 0);
    const int64_t pass = n * (n + 1) / 2, sampled = 100 * n;
    fmt::print("gamma {}, {} passes: {:.3f} symmetric passes for the degrees, {:.3f} in all\n", c.gamma, c.passes,
               double(values) / double(pass), double(result.cost.kernel_values) / double(pass));
    EXPECT_GE(values, pass);
    // The pass evaluates the tiles on the diagonal completely, so a little more than half of the matrix. Before it, 100
    // sampled columns decide whether the neighbors are needed.
    EXPECT_LE(values, pass + sampled + pass / 10) << "two passes would be " << 2 * pass;
  }
}

TEST(Cost, AGivenStartNeedsNoSampleToDecideWhetherNeighborsAreNeeded) {
  const Matrix<float> X = rings();
  for (const Start start : {Start::nystrom, Start::neighbors}) {
    ClusterOptions options = options_for(1000, 0.3);
    options.start = start;
    const Clustering result = cluster(Points(X.view()), options);
    EXPECT_EQ(result.pairs.start_is_graph, start == Start::neighbors);
    const int64_t values = values_for_degrees(X, options, result, start == Start::neighbors ? 16 : 0);
    const int64_t pass = n * (n + 1) / 2;
    EXPECT_GE(values, pass);
    EXPECT_LE(values, pass + pass / 10);
  }
}

TEST(Cost, CountsTheColumnsOfTheSolverAndOfSampledDegrees) {
  const Matrix<float> X = rings();
  ClusterOptions options = options_for(20, 0.5);
  options.degrees = DegreeKind::sampled;
  options.degree_columns = 200;
  const Clustering result = cluster(Points(X.view()), options);
  EXPECT_GE(result.degrees.columns, 200);
  EXPECT_EQ(result.cost.columns_evaluated, result.degrees.columns + result.pairs.columns_evaluated);
  EXPECT_DOUBLE_EQ(result.cost.passes, double(result.cost.columns_evaluated) / double(n));
  EXPECT_LE(result.cost.passes, 0.5 + 1e-12);
  // The estimate of the cut evaluates some more columns.
  ASSERT_TRUE(result.cut.estimate.has_value());
  EXPECT_GE(result.cost.kernel_values, result.cost.columns_evaluated * n * 9 / 10);
  EXPECT_LE(result.cost.kernel_values, (result.cost.columns_evaluated + n / 8) * n);
}

}  // namespace
}  // namespace mbsc
