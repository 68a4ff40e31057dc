// SPDX-License-Identifier: Apache-2.0
// cluster() on points that are distributed over ranks gives the same bits as on one rank, for every method and every
// distribution of the rows.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <limits>

#include "mbsc/cluster.h"
#include "tests/affinity/dense_oracle.h"
#include "tests/comm/ranks.h"

namespace mbsc {
namespace {

using testing::on_ranks;
using testing::random_matrix;

constexpr int ranks_tried[] = {2, 3, 4, 7};

/// Three clouds and a few outliers.
Matrix<float> clouds(int64_t n) {
  Matrix<float> X = random_matrix<float>(n, 3, 5);
  for (int64_t i = 0; i < n; ++i) X(i, 0) += 6 * float(i % 3);
  for (int64_t i = 0; i < 4; ++i) X(i * (n / 5), 1) += 9 + float(i);
  return X;
}

ClusterOptions options_for(const char* method) {
  ClusterOptions options;
  options.clusters = 3;
  options.threads = 1;
  options.method = method;
  return options;
}

/// How the n rows are distributed over the ranks: by row blocks (base/row_blocks.h), all rows on the last rank, or more
/// rows on each rank than on the one before.
enum class Sharing { blocks, last, uneven };
/// The rows that this rank passes to cluster().
Range rows_of(Sharing sharing, int64_t n, const Comm& comm) {
  if (sharing == Sharing::last) return comm.rank() + 1 == comm.size() ? Range{0, n} : Range{0, 0};
  const auto begin = [&](int rank) -> int64_t {
    const double share = double(rank) / comm.size();
    return rank == comm.size() ? n : int64_t(double(n) * share * share);
  };
  if (sharing == Sharing::uneven) return {begin(comm.rank()), begin(comm.rank() + 1)};
  const RowBlocks blocks(n);
  return blocks.rows_of(blocks.blocks_of_rank(comm.rank(), comm.size()));
}

void expect_same_graph(const GraphReport& a, const GraphReport& b) {
  EXPECT_EQ(a.edges, b.edges);
  EXPECT_EQ(a.components, b.components);
  EXPECT_EQ(a.speck_points, b.speck_points);
  EXPECT_EQ(a.distinct_points, b.distinct_points);
  EXPECT_EQ(a.width, b.width);
  EXPECT_EQ(a.recall, b.recall);
  EXPECT_EQ(a.recall_error, b.recall_error);
}

/// Checks that cluster() has the same result on several ranks as on one.
template <class T>
void expect_same_as_one(const Matrix<T>& X, const ClusterOptions& options, Sharing sharing = Sharing::blocks,
                        Input::Kind kind = Input::Kind::points) {
  const Clustering one = cluster(Input(kind, Points(X.view())), options);
  const auto all_of = [](const Matrix<float>& vectors) { return std::span(vectors.data(), size_t(vectors.size())); };
  for (const int ranks : ranks_tried)
    on_ranks(ranks, [&](const Comm& comm) {
      const Range rows = rows_of(sharing, X.rows(), comm);
      Matrix<T> own(rows.size(), X.cols());
      std::copy_n(X.data() + rows.begin * X.cols(), own.size(), own.data());
      const Clustering shared = cluster(Input(kind, Points(own.view())), options, comm);
      ASSERT_EQ(int64_t(shared.labels.size()), rows.size());
      EXPECT_EQ(comm.gather<int32_t>(shared.labels), one.labels) << ranks << " ranks";
      const auto vectors = all_of(one.pairs.vectors);
      EXPECT_EQ(comm.gather<float>(all_of(shared.pairs.vectors)), std::vector<float>(vectors.begin(), vectors.end()))
          << ranks << " ranks";
      EXPECT_EQ(comm.gather<double>(shared.degrees.values), one.degrees.values);
      EXPECT_EQ(shared.pairs.values, one.pairs.values);
      EXPECT_EQ(shared.pairs.residuals, one.pairs.residuals);
      EXPECT_EQ(shared.cluster_sizes, one.cluster_sizes);
      EXPECT_EQ(shared.cut.exact, one.cut.exact);
      EXPECT_EQ(shared.cut.estimate, one.cut.estimate);
      EXPECT_EQ(shared.cost.passes, one.cost.passes);
      EXPECT_EQ(shared.degrees.isolated_points, one.degrees.isolated_points);
      EXPECT_EQ(shared.pairs.start_is_graph, one.pairs.start_is_graph);
      EXPECT_EQ(shared.plan.options.gamma, one.plan.options.gamma);
      EXPECT_EQ(shared.plan.options.start, one.plan.options.start);
      EXPECT_EQ(shared.plan.options.landmarks, one.plan.options.landmarks);
      EXPECT_EQ(shared.plan.options.neighbors, one.plan.options.neighbors);
      EXPECT_EQ(shared.plan.options.regularization, one.plan.options.regularization);
      EXPECT_EQ(shared.status, one.status);
      ASSERT_EQ(shared.plan.graph.has_value(), one.plan.graph.has_value());
      if (one.plan.graph) expect_same_graph(*shared.plan.graph, *one.plan.graph);
      EXPECT_EQ(shared.plan.ranks, ranks);
    });
}

TEST(RanksOfCluster, EveryMethodHasTheBitsOfOne) {
  const Matrix<float> X = clouds(900);
  for (const char* method : {"exact", "power", "nystrom", "minibatch"}) expect_same_as_one(X, options_for(method));
}

TEST(RanksOfCluster, MiniBatchesWithEveryStartBudgetAndStepRule) {
  const Matrix<float> X = clouds(900);
  for (const Start start : {Start::random, Start::nystrom, Start::neighbors})
    for (const double passes : {0.3, 1.0, 2.0}) {
      ClusterOptions options = options_for("minibatch");
      options.start = start;
      options.limits.passes = passes;
      options.gamma = start == Start::neighbors ? 8.0 : 0.5;
      expect_same_as_one(X, options);
    }
  ClusterOptions options = options_for("minibatch");
  apply_preset("paper", X.rows(), options);
  options.limits.iterations = 30;
  expect_same_as_one(X, options);
  options.adagrad.estimator = Estimator::signs;
  expect_same_as_one(X, options);
}

TEST(RanksOfCluster, NarrowKernelsOutliersAndIsolatedPoints) {
  Matrix<float> X = clouds(900);
  X(17, 2) = 500;  // no neighbor at all
  for (const double regularization : {0.0, 0.001})
    for (const char* method : {"exact", "minibatch"}) {
      ClusterOptions options = options_for(method);
      options.gamma = 3;
      options.regularization = regularization;
      expect_same_as_one(X, options);
    }
}

TEST(RanksOfCluster, DirectLabelsHaveTheBitsOfOne) {
  Matrix<float> X = clouds(900);
  X(17, 2) = 500;  // isolated
  for (const EmbeddingScale scale : {EmbeddingScale::row, EmbeddingScale::none, EmbeddingScale::degree}) {
    ClusterOptions options = options_for("exact");
    options.assign = Assign::cluster_qr;
    options.embedding_scale = scale;
    options.gamma = 3;
    expect_same_as_one(X, options);
  }
}

TEST(RanksOfCluster, SampledDegreesKeptValuesTolerancesAndOtherAffinities) {
  const Matrix<float> X = clouds(900);
  ClusterOptions options = options_for("minibatch");
  options.degrees = DegreeKind::sampled;
  options.limits.passes = 0.8;
  expect_same_as_one(X, options);
  options.limits.passes = 2.5;
  expect_same_as_one(X, options);
  options = options_for("exact");
  options.cache = int64_t{1} << 30;
  options.limits.tolerance = 1e-4;
  expect_same_as_one(X, options);
  for (const AffinityKind affinity : {AffinityKind::exponential, AffinityKind::cosine}) {
    options = options_for("exact");
    options.affinity = affinity;
    expect_same_as_one(X, options);
  }
  options = options_for("nystrom");
  options.degrees = DegreeKind::nystrom;
  expect_same_as_one(X, options);
}

TEST(RanksOfCluster, ANeighborGraphHasTheBitsOfOne) {
  const Matrix<float> X = clouds(900);
  for (const NeighborWeights weights :
       {NeighborWeights::gaussian_shared, NeighborWeights::gaussian, NeighborWeights::shared, NeighborWeights::binary,
        NeighborWeights::local, NeighborWeights::fuzzy}) {
    ClusterOptions options = options_for("chebyshev");
    options.affinity = AffinityKind::neighbors;
    options.edge_weights = weights;
    expect_same_as_one(X, options);
    options.edges = EdgeRule::mutual;
    expect_same_as_one(X, options);
  }
  for (const char* method : {"exact", "power"}) {
    ClusterOptions options = options_for(method);
    options.affinity = AffinityKind::neighbors;
    expect_same_as_one(X, options);
  }
}

TEST(RanksOfCluster, ALargeNeighborGraphHasTheBitsOfOne) {
  // More than 16,384 points: the search uses a partition, and the coarser graphs are distributed.
  const Matrix<float> X = clouds(40'000);
  ClusterOptions options = options_for("chebyshev");
  options.affinity = AffinityKind::neighbors;
  options.neighbors = 8;
  expect_same_as_one(X, options);
  options.threads = 2;
  options.recall = 0.999;  // several partitions
  expect_same_as_one(X, options, Sharing::uneven);
}

TEST(RanksOfCluster, ANeighborGraphOfEqualPointsAndSpecksHasTheBitsOfOne) {
  Matrix<float> X = clouds(3000);
  for (int64_t i = 0; i < 3000; ++i)  // many equal points, far apart in the input
    for (int64_t f = 0; f < 3; ++f) X(i, f) = std::round(X(i, f) * 4) / 4;
  for (int64_t i = 100; i < 105; ++i) X(i * 7, 2) = 500 + float(i);
  ClusterOptions options = options_for("chebyshev");
  options.affinity = AffinityKind::neighbors;
  expect_same_as_one(X, options);
  options.neighbors = 3;  // many components
  expect_same_as_one(X, options, Sharing::last);
  options.neighbors = 12;
  options.regularization = 0.3;  // weak points
  expect_same_as_one(X, options);
}

TEST(RanksOfCluster, ALandmarkGraphHasTheBitsOfOne) {
  Matrix<float> X = clouds(3000);
  for (int64_t i = 100; i < 103; ++i) X(i * 7, 2) = 500 + float(i);  // specks
  for (const char* method : {"transfer", "chebyshev", "exact", "power"}) {
    ClusterOptions options = options_for(method);
    options.affinity = AffinityKind::landmarks;
    expect_same_as_one(X, options);
  }
  ClusterOptions options = options_for("transfer");
  options.affinity = AffinityKind::landmarks;
  options.landmarks = 300;
  options.neighbors = 4;
  options.regularization = 0.3;  // one more landmark, and weak points
  expect_same_as_one(X, options, Sharing::uneven);
  options.threads = 3;
  expect_same_as_one(X, options, Sharing::last);
}

TEST(RanksOfCluster, RowsMayBeSharedOutInAnyWay) {
  const Matrix<float> X = clouds(900);
  Matrix<double> wide(900, 3);
  for (int64_t i = 0; i < X.size(); ++i) wide.data()[i] = double(X.data()[i]) + 1e-9;
  for (const Sharing sharing : {Sharing::last, Sharing::uneven}) {
    expect_same_as_one(X, options_for("minibatch"), sharing);
    expect_same_as_one(wide, options_for("exact"), sharing);
  }
}

TEST(RanksOfCluster, MoreRanksThanBlocksWork) {
  const Matrix<float> X = clouds(100);  // two blocks
  for (const char* method : {"exact", "power", "nystrom", "minibatch"}) expect_same_as_one(X, options_for(method));
  for (const AffinityKind affinity : {AffinityKind::neighbors, AffinityKind::landmarks}) {
    ClusterOptions options = options_for(affinity == AffinityKind::neighbors ? "chebyshev" : "transfer");
    options.affinity = affinity;
    expect_same_as_one(X, options);
    options.clusters = 2;
    expect_same_as_one(clouds(5), options, Sharing::uneven);
  }
  const Matrix<float> few = clouds(5);
  ClusterOptions options = options_for("exact");
  options.clusters = 2;
  expect_same_as_one(few, options);
  expect_same_as_one(few, options, Sharing::uneven);
}

TEST(RanksOfCluster, APrecomputedMatrixHasTheBitsOfOne) {
  const Eigen::MatrixXd dense = testing::dense_affinity(Points(clouds(200).view()), {KernelKind::rbf, 0.5});
  Matrix<float> stored(200, 200);
  for (int64_t i = 0; i < 200; ++i)
    for (int64_t j = 0; j < 200; ++j) stored(i, j) = float(dense(i, j));
  for (const char* method : {"exact", "minibatch"}) {
    for (const Sharing sharing : {Sharing::blocks, Sharing::uneven})
      expect_same_as_one(stored, options_for(method), sharing, Input::Kind::matrix);
  }
}

TEST(RanksOfCluster, WhatIsWrongOnOneRankIsThrownOnAll) {
  for (const int ranks : ranks_tried)
    on_ranks(ranks, [&](const Comm& comm) {
      Matrix<float> own = clouds(300);
      if (comm.rank() == ranks - 1) own(7, 1) = std::numeric_limits<float>::quiet_NaN();
      try {
        cluster(Points(own.view()), options_for("exact"), comm);
        ADD_FAILURE() << "nothing was thrown";
      } catch (const InvalidInput& error) {
        // Rows are counted over all ranks.
        EXPECT_EQ(std::string(error.what()), "row " + std::to_string(300 * (ranks - 1) + 8) +
                                                 ", feature 2: nan is not allowed: values must be finite");
      }
      Matrix<float> narrow(comm.rank() == 0 ? 10 : 300, comm.rank() == 0 ? 2 : 3);
      EXPECT_THROW(cluster(Points(narrow.view()), options_for("exact"), comm), InvalidInput);
    });
}

TEST(RanksOfCluster, RankZeroDecidesWhenToStop) {
  const Matrix<float> X = clouds(900);
  for (const int ranks : ranks_tried)
    on_ranks(ranks, [&](const Comm& comm) {
      const Range rows = rows_of(Sharing::blocks, X.rows(), comm);
      Matrix<float> own(rows.size(), 3);
      std::copy_n(X.data() + rows.begin * 3, own.size(), own.data());
      ClusterOptions options = options_for("exact");
      options.limits.tolerance = 1e-30;
      int steps = 0;
      const Clustering result = cluster(Points(own.view()), options, comm, [&](const Stage& stage) {
        return comm.rank() != 0 || stage.name != "solve" || ++steps < 3;
      });
      EXPECT_EQ(result.status, Status::stopped);
      EXPECT_EQ(comm.gather<int32_t>(result.labels).size(), 900u);
    });
}

TEST(RanksOfCluster, RankZeroDecidesWhenASearchForNeighborsStops) {
  const Matrix<float> X = clouds(900);
  std::atomic<bool> asked{true};
  for (const AffinityKind affinity : {AffinityKind::neighbors, AffinityKind::landmarks})
    on_ranks(3, [&](const Comm& comm) {
      const Range rows = rows_of(Sharing::blocks, X.rows(), comm);
      Matrix<float> own(rows.size(), 3);
      std::copy_n(X.data() + rows.begin * 3, own.size(), own.data());
      ClusterOptions options;
      options.clusters = 3;
      options.affinity = affinity;
      if (comm.rank() == 0) options.stop = StopToken(asked);
      EXPECT_THROW(cluster(Points(own.view()), options, comm), Stopped);
    });
}

}  // namespace
}  // namespace mbsc
