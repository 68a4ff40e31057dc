// SPDX-License-Identifier: Apache-2.0
#include "mbsc/cluster.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>

#include "tests/affinity/dense_oracle.h"
#include "tests/cluster/samples.h"

namespace mbsc {
namespace {

using testing::expect_well_formed;
using testing::options_for;
using testing::random_matrix;
using testing::same_partition;
using testing::sample;
using testing::Sample;

TEST(Cluster, FindsBlobsRingsAndMoonsWithDefaults) {
  struct Case {
    Shape shape;
    int64_t clusters;
  };
  for (const Case& c : {Case{Shape::blobs, 3}, {Shape::rings, 2}, {Shape::moons, 2}}) {
    const Sample s = sample(c.shape, 500);
    ClusterOptions options = options_for(c.clusters);
    for (const char* method : {"chebyshev", "exact"}) {
      if (std::string(method) == "exact") options.affinity = AffinityKind::rbf;
      const Clustering result = cluster(Points(s.X.view()), options);
      EXPECT_TRUE(same_partition(result.labels, s.classes)) << "shape " << int(c.shape);
      EXPECT_EQ(result.plan.options.method, method);
      EXPECT_EQ(result.status, options.affinity ? Status::converged : Status::finished);
      EXPECT_TRUE(result.cut.exact.has_value());
      expect_well_formed(result, 500, c.clusters);
      EXPECT_NEAR(result.pairs.values[0], 1, 1e-5);
    }
  }
}

TEST(Cluster, FindsBlobsWithEveryMethodAndEmbeddingScale) {
  const Sample s = sample(Shape::blobs, 600, 4);
  for (const std::string method : {"exact", "minibatch", "nystrom", "power"})
    for (const EmbeddingScale scale : {EmbeddingScale::none, EmbeddingScale::row, EmbeddingScale::degree}) {
      ClusterOptions options = options_for(3);
      options.gamma = 0.2;  // so wide that a few products of the power method separate the blobs
      options.method = method;
      options.embedding_scale = scale;
      if (method == "minibatch") options.limits.passes = 10;
      const Clustering result = cluster(Points(s.X.view()), options);
      EXPECT_TRUE(same_partition(result.labels, s.classes)) << method << ", scale " << int(scale);
      expect_well_formed(result, 600, 3);
    }
}

TEST(Cluster, LabelsGoByFallingSize) {
  Matrix<float> X = random_matrix<float>(200, 2, 1);
  for (int64_t i = 0; i < 200; ++i) X(i, 0) += i < 20 ? 0.0f : i < 70 ? 30.0f : 60.0f;
  ClusterOptions options = options_for(3);
  options.gamma = 0.3;
  const Clustering result = cluster(Points(X.view()), options);
  EXPECT_EQ(result.cluster_sizes, (std::vector<int64_t>{130, 50, 20}));
  EXPECT_EQ(result.labels[0], 2);
  EXPECT_EQ(result.labels[20], 1);
  EXPECT_EQ(result.labels[199], 0);
}

TEST(Cluster, IsolatedPointsGetTheLabelOfTheNearestCluster) {
  Matrix<float> X = random_matrix<float>(202, 2, 2);
  for (int64_t i = 0; i < 200; ++i) X(i, 0) += i % 2 == 0 ? 0.0f : 100.0f;
  X(200, 0) = -60;  // nearer to the even rows
  X(201, 0) = 160;
  ClusterOptions options = options_for(2);
  options.gamma = 0.5;
  options.limits.passes = 20;
  for (const std::string method : {"exact", "minibatch"}) {
    options.method = method;
    const Clustering result = cluster(Points(X.view()), options);
    EXPECT_EQ(result.degrees.isolated_points, 2);
    expect_well_formed(result, 202, 2);
    EXPECT_EQ(result.labels[200], result.labels[0]);
    EXPECT_EQ(result.labels[201], result.labels[1]);
    for (int64_t c = 0; c < 2; ++c) EXPECT_NEAR(result.pairs.vectors(200, c), 0, 0.1);
  }
}

TEST(Cluster, TwoFarGroupsAreFoundWithAnyGamma) {
  Matrix<float> X = random_matrix<float>(300, 3, 3);
  std::vector<int32_t> classes(300);
  for (int64_t i = 0; i < 300; ++i) {
    classes[size_t(i)] = int32_t(i % 2);
    X(i, 0) += i % 2 == 0 ? -1e4f : 1e4f;
  }
  ClusterOptions options = options_for(2);
  for (const std::optional<double> gamma : {std::optional<double>{}, {0.3}, {1e-5}}) {
    options.gamma = gamma;
    const Clustering result = cluster(Points(X.view()), options);
    EXPECT_TRUE(same_partition(result.labels, classes)) << gamma.value_or(0);
    EXPECT_NEAR(result.cut.exact.value_or(1), 0, 1e-3);
  }
}

TEST(Cluster, OneOutlierAtAMillionDoesNotSpoilTheRest) {
  Sample s = sample(Shape::blobs, 301);
  s.X(300, 0) = 1e6f;
  ClusterOptions options = options_for(3);
  for (const AffinityKind kind : {AffinityKind::neighbors, AffinityKind::rbf}) {
    options.affinity = kind;
    const Clustering result = cluster(Points(s.X.view()), options);
    expect_well_formed(result, 301, 3);
    EXPECT_TRUE(same_partition(std::span(result.labels).first(300), std::span(s.classes).first(300)));
    EXPECT_EQ(result.degrees.isolated_points, kind == AffinityKind::rbf ? 1 : 0);
  }
}

TEST(Cluster, SampledDegreesGiveTheLabelsOfExactOnesAndCountInTheBudget) {
  const Sample s = sample(Shape::blobs, 3000, 4);
  ClusterOptions options = options_for(3, 2);
  options.gamma = 0.2;
  for (const std::string method : {"exact", "minibatch", "nystrom", "power"})
    for (const EmbeddingScale scale : {EmbeddingScale::none, EmbeddingScale::row, EmbeddingScale::degree}) {
      options.method = method;
      options.embedding_scale = scale;
      options.degrees = DegreeKind::exact;
      options.degree_columns.reset();
      const Clustering exact = cluster(Points(s.X.view()), options);
      options.degrees = DegreeKind::sampled;
      options.degree_columns = 400;
      const Clustering sampled = cluster(Points(s.X.view()), options);
      EXPECT_EQ(exact.labels, sampled.labels) << method << ", scale " << int(scale);
      EXPECT_FALSE(exact.degrees.relative_error.has_value());
      if (method == "minibatch") {
        EXPECT_EQ(sampled.degrees.relative_error.value_or(1), 0) << "one pass has seen all columns";
        for (size_t i = 0; i < 3000; ++i) ASSERT_NEAR(sampled.degrees.values[i] / exact.degrees.values[i], 1, 1e-5);
      } else {
        EXPECT_GT(sampled.degrees.relative_error.value_or(0), 0);
        EXPECT_LT(sampled.degrees.relative_error.value_or(1), 0.2);
      }
      EXPECT_EQ(sampled.plan.options.degree_columns, 400);
      EXPECT_GE(sampled.degrees.columns, 400);
      EXPECT_LE(sampled.degrees.columns, 500);
      EXPECT_GT(sampled.cost.columns_evaluated, sampled.degrees.columns);
      EXPECT_EQ(sampled.cost.columns_evaluated, sampled.degrees.columns + sampled.pairs.columns_evaluated);
      EXPECT_EQ(sampled.cost.passes, double(sampled.cost.columns_evaluated) / 3000);
      if (exact.cut.exact) {
        EXPECT_NEAR(sampled.cut.exact.value_or(9), *exact.cut.exact, 1e-4);
      } else {
        EXPECT_NEAR(sampled.cut.estimate.value_or(9), *exact.cut.estimate, 0.3);
      }
    }
  options.method = "minibatch";
  options.embedding_scale = EmbeddingScale::row;
  options.degree_columns.reset();
  options.limits.passes = 0.8;
  const Clustering budget = cluster(Points(s.X.view()), options);
  EXPECT_EQ(budget.plan.options.degree_columns, 480);
  EXPECT_LE(budget.degrees.columns, 600) << "a quarter of the budget";
  EXPECT_GE(budget.cost.passes, 0.8);
  EXPECT_LE(budget.cost.passes, 0.8 + 30.0 / 3000) << "a batch that has begun is finished";
  EXPECT_LT(budget.cost.kernel_values, int64_t(3000) * 3000) << "no pass beside the budget";
  EXPECT_TRUE(same_partition(budget.labels, s.classes));
}

TEST(Cluster, SampledDegreesStandOutliersIsolatedPointsAndAPrecomputedMatrix) {
  Matrix<float> X = random_matrix<float>(1004, 2, 2);
  for (int64_t i = 0; i < 1000; ++i) X(i, 0) += i % 2 == 0 ? 0.0f : 100.0f;
  X(1000, 0) = -60;  // nearer to the even rows
  X(1001, 0) = 160;
  X(1002, 1) = 8;  // almost isolated: the degree is tiny, but not 0
  X(1003, 0) = 100, X(1003, 1) = 8;
  ClusterOptions options = options_for(2);
  options.gamma = 0.5;
  options.degrees = DegreeKind::sampled;
  options.degree_columns = 200;
  for (const double regularization : {0.0, 0.01}) {
    options.regularization = regularization;
    const Clustering result = cluster(Points(X.view()), options);
    expect_well_formed(result, 1004, 2);
    for (int64_t i = 0; i < 1000; ++i) ASSERT_EQ(result.labels[size_t(i)], result.labels[size_t(i % 2)]);
    if (regularization > 0) continue;
    EXPECT_EQ(result.degrees.isolated_points, 2);
    EXPECT_EQ(result.labels[1000], result.labels[0]);
    EXPECT_EQ(result.labels[1001], result.labels[1]);
    EXPECT_EQ(result.labels[1002], result.labels[0]);
  }

  const Eigen::MatrixXd A = testing::dense_affinity(Points(X.view()), {KernelKind::rbf, 0.5});
  Matrix<float> stored(1004, 1004);
  for (int64_t i = 0; i < 1004; ++i)
    for (int64_t j = 0; j < 1004; ++j) stored(i, j) = float(A(i, j));
  options.gamma.reset();
  const Clustering result = cluster(Input::matrix(Points(stored.view())), options);
  for (int64_t i = 0; i < 1000; ++i) ASSERT_EQ(result.labels[size_t(i)], result.labels[size_t(i % 2)]);
}

// The two rings have the same mean, so only its neighbors show to which ring a point belongs. The degrees of the two
// added points are 3e-4 and 3e-13; the mean degree is 15.
TEST(Cluster, APointWhoseDegreeIsBelowTheRegularizationGoesWithItsNeighbors) {
  Sample s = sample(Shape::rings, 602);
  s.X(600, 0) = 0.02f, s.X(600, 1) = 0.01f;
  s.X(601, 0) = 3.5f, s.X(601, 1) = 0;
  for (const EmbeddingScale scale : {EmbeddingScale::row, EmbeddingScale::degree})
    for (const double regularization : {1e-4, 1e-3}) {
      ClusterOptions options = options_for(2);
      options.gamma = 15;
      options.embedding_scale = scale;
      options.regularization = regularization;
      const Clustering result = cluster(Points(s.X.view()), options);
      EXPECT_TRUE(same_partition(result.labels, s.classes)) << int(scale) << ", " << regularization;
      EXPECT_LT(result.degrees.values[601], 1e-10);
      EXPECT_EQ(result.degrees.isolated_points, 0);
    }
}

TEST(Cluster, HasTheSameBitsForAnyNumberOfThreads) {
  const Sample s = sample(Shape::blobs, 500);
  for (const std::string method : {"exact", "minibatch", "nystrom", "power"}) {
    ClusterOptions options = options_for(4);  // more clusters than blobs, so that the clusters are not obvious
    options.method = method;
    if (method == "minibatch") {
      options.degrees = DegreeKind::sampled;
      options.degree_columns = 150;
    }
    const Clustering one = cluster(Points(s.X.view()), options);
    for (const int threads : {2, 3}) {
      options.threads = threads;
      const Clustering many = cluster(Points(s.X.view()), options);
      EXPECT_EQ(one.labels, many.labels) << method << ", " << threads << " threads";
      EXPECT_EQ(one.plan.options.gamma, many.plan.options.gamma);
      EXPECT_EQ(one.pairs.values, many.pairs.values);
      const Matrix<float>& vectors = one.pairs.vectors;
      EXPECT_TRUE(std::equal(vectors.data(), vectors.data() + vectors.size(), many.pairs.vectors.data()));
    }
  }
}

TEST(Cluster, APrecomputedMatrixGivesThePartitionOfItsPoints) {
  const Sample s = sample(Shape::moons, 300);
  ClusterOptions with_kernel = options_for(2);
  with_kernel.affinity = AffinityKind::rbf;
  const Clustering direct = cluster(Points(s.X.view()), with_kernel);
  const Eigen::MatrixXd A = testing::dense_affinity(Points(s.X.view()), {KernelKind::rbf, *direct.plan.options.gamma});
  Matrix<double> stored(300, 300);
  for (int64_t i = 0; i < 300; ++i)
    for (int64_t j = 0; j < 300; ++j) stored(i, j) = A(i, j);
  const Clustering result = cluster(Input::matrix(Points(stored.view())), options_for(2));
  EXPECT_EQ(result.labels, direct.labels);
  EXPECT_EQ(result.plan.options.affinity, AffinityKind::precomputed);
  EXPECT_FALSE(result.plan.options.gamma.has_value());
}

TEST(Cluster, SmallestProblemsWork) {
  Matrix<float> X(2, 1);
  X(1, 0) = 1;
  for (const int64_t clusters : {1, 2})
    expect_well_formed(cluster(Points(X.view()), options_for(clusters)), 2, clusters);
  const Matrix<float> Y = random_matrix<float>(12, 2, 4);
  for (int64_t clusters = 1; clusters <= 12; ++clusters)
    expect_well_formed(cluster(Points(Y.view()), options_for(clusters)), 12, clusters);
}

/// The message with which cluster() refuses the input, or "accepted".
std::string refusal(const Matrix<float>& X, const ClusterOptions& options, Input::Kind kind = Input::Kind::points) {
  try {
    cluster(Input(kind, Points(X.view())), options);
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Cluster, DataThatCannotBeClusteredAreRefusedWithTheRuleAndTheValue) {
  const Matrix<float> X = random_matrix<float>(20, 2, 5);
  EXPECT_EQ(refusal(X, options_for(0)), "clusters must be in [1, 20]; got 0");
  EXPECT_EQ(refusal(X, options_for(21)), "clusters must be in [1, 20]; got 21");
  EXPECT_EQ(refusal(random_matrix<float>(1, 2, 5), options_for(1)), "clustering needs at least 2 points; got 1");
  EXPECT_EQ(refusal(Matrix<float>(0, 2), options_for(1)), "clustering needs at least 2 points; got 0");
  EXPECT_EQ(refusal(Matrix<float>(5, 0), options_for(1)), "the points have no features");
  EXPECT_EQ(refusal(Matrix<float>(5, 2), options_for(2)),
            "all 5 points are equal: 1 distinct point, nothing to cluster");
  Matrix<float> three(9, 1);
  for (int64_t i = 0; i < 9; ++i) three(i, 0) = float(i % 3);
  EXPECT_EQ(refusal(three, options_for(4)), "only 3 distinct points; cannot make 4 clusters");
  Matrix<float> bad = X;
  bad(7, 1) = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(refusal(bad, options_for(2)), "row 8, feature 2: nan is not allowed: values must be finite");
  ClusterOptions narrow = options_for(2);
  narrow.gamma = 1e12;
  EXPECT_NE(refusal(X, narrow).find("choose a smaller gamma"), std::string::npos) << refusal(X, narrow);
}

TEST(Cluster, BadOptionsAreRefused) {
  const Matrix<float> X = random_matrix<float>(20, 2, 6);
  const auto refused = [&](const std::string& start, const std::function<void(ClusterOptions&)>& change) {
    ClusterOptions options = options_for(2);
    change(options);
    EXPECT_EQ(refusal(X, options).rfind(start, 0), 0u) << start << " | " << refusal(X, options);
  };
  for (const double bad : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    refused("gamma must be positive", [&](ClusterOptions& o) { o.gamma = bad; });
    refused("passes must be positive", [&](ClusterOptions& o) { o.limits.passes = bad; });
    refused("seconds must be positive", [&](ClusterOptions& o) { o.limits.seconds = bad; });
    refused("tolerance must be positive", [&](ClusterOptions& o) { o.limits.tolerance = bad; });
    refused("epsilon must be positive", [&](ClusterOptions& o) { o.adagrad.epsilon = bad; });
  }
  for (const double bad : {0.0, -1.0, std::nan("")})
    refused("step must be positive", [&](ClusterOptions& o) { o.adagrad.step = bad; });
  for (const double bad : {-1.0, std::nan("")}) {
    refused("stall must be at least 0", [&](ClusterOptions& o) { o.limits.stall = bad; });
    refused("regularization must be at least 0", [&](ClusterOptions& o) { o.regularization = bad; });
  }
  refused("restarts must be at least 1", [](ClusterOptions& o) { o.restarts = 0; });
  refused("iterations must be at least 1", [](ClusterOptions& o) { o.limits.iterations = 0; });
  refused("degrees = nystrom applies to", [](ClusterOptions& o) { o.degrees = DegreeKind::nystrom; });
  refused("degree_columns = 5 needs degrees = sampled", [](ClusterOptions& o) { o.degree_columns = 5; });
  for (const int64_t bad : {-1, 0, 19, 21})
    refused(bad < 1 ? "degree_columns must be at least 1; got" : "degree_columns must be in [20, 20]; got",
            [&](ClusterOptions& o) {
              o.degrees = DegreeKind::sampled;
              o.degree_columns = bad;
            });
  refused("sampled degrees need up to 20 columns and leave nothing for the solver: passes = 1 is 20 columns",
          [](ClusterOptions& o) {
            o.degrees = DegreeKind::sampled;
            o.limits.passes = 1;
          });
  refused("affinity = precomputed needs a matrix of affinities",
          [](ClusterOptions& o) { o.affinity = AffinityKind::precomputed; });
  const std::string message = refusal(X, options_for(2), Input::Kind::matrix);
  EXPECT_EQ(message.rfind("a precomputed affinity must be square", 0), 0u) << message;
}

}  // namespace
}  // namespace mbsc
