// SPDX-License-Identifier: Apache-2.0
// cluster() on points that ranks share: the same bits as one, for every method, however the rows are shared out.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "mbsc/base/require.h"
#include "mbsc/cluster.h"
#include "tests/affinity/dense_oracle.h"
#include "tests/comm/ranks.h"

namespace mbsc {
namespace {

using testing::on_ranks;
using testing::random_matrix;

constexpr int ranks_tried[] = {2, 3, 4, 7};

/// Three clouds, a few outliers.
Matrix<float> clouds(int64_t n) {
  Matrix<float> X = random_matrix<float>(n, 3, 5);
  for (int64_t i = 0; i < n; ++i) X(i, 0) += 6 * float(i % 3);
  for (int64_t i = 0; i < 4; ++i) X(i * (n / 5), 1) += 9 + float(i);
  return X;
}

ClusterOptions options_for(Method method) {
  ClusterOptions options;
  options.clusters = 3;
  options.threads = 1;
  options.method = method;
  return options;
}

/// The rows of X that a rank passes: as the blocks want them, or all on the last one, or a few more each.
enum class Sharing { blocks, last, uneven };
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

template <class T>
void expect_same_as_one(const Matrix<T>& X, const ClusterOptions& options, Sharing sharing = Sharing::blocks) {
  const Clustering one = cluster(Points(X.view()), options);
  for (const int ranks : ranks_tried)
    on_ranks(ranks, [&](const Comm& comm) {
      const Range rows = rows_of(sharing, X.rows(), comm);
      Matrix<T> own(rows.size(), X.cols());
      std::copy_n(X.data() + rows.begin * X.cols(), own.size(), own.data());
      const Clustering shared = cluster(Points(own.view()), options, comm);
      ASSERT_EQ(int64_t(shared.labels.size()), rows.size());
      EXPECT_EQ(comm.gather<int32_t>(shared.labels), one.labels) << ranks << " ranks";
      EXPECT_EQ(comm.gather<float>({shared.embedding.data(), size_t(shared.embedding.size())}),
                std::vector<float>(one.embedding.data(), one.embedding.data() + one.embedding.size()))
          << ranks << " ranks";
      EXPECT_EQ(comm.gather<double>(shared.degrees), one.degrees);
      EXPECT_EQ(shared.eigenvalues, one.eigenvalues);
      EXPECT_EQ(shared.residuals, one.residuals);
      EXPECT_EQ(shared.cluster_sizes, one.cluster_sizes);
      EXPECT_EQ(shared.normalized_cut, one.normalized_cut);
      EXPECT_EQ(shared.normalized_cut_estimate, one.normalized_cut_estimate);
      EXPECT_EQ(shared.passes, one.passes);
      EXPECT_EQ(shared.isolated_points, one.isolated_points);
      EXPECT_EQ(shared.start_is_graph, one.start_is_graph);
      EXPECT_TRUE(std::isnan(one.gamma) ? std::isnan(shared.gamma) : shared.gamma == one.gamma);
      EXPECT_EQ(shared.ranks, ranks);
    });
}

TEST(RanksOfCluster, EveryMethodHasTheBitsOfOne) {
  const Matrix<float> X = clouds(900);
  for (const Method method : {Method::exact, Method::power, Method::nystrom, Method::minibatch})
    expect_same_as_one(X, options_for(method));
}

TEST(RanksOfCluster, MiniBatchesWithEveryStartBudgetAndStepRule) {
  const Matrix<float> X = clouds(900);
  for (const Start start : {Start::random, Start::nystrom, Start::neighbors})
    for (const double passes : {0.3, 1.0, 2.0}) {
      ClusterOptions options = options_for(Method::minibatch);
      options.solver.start = start;
      options.solver.passes = passes;
      options.gamma = start == Start::neighbors ? 8.0 : 0.5;
      expect_same_as_one(X, options);
    }
  ClusterOptions options = options_for(Method::minibatch);
  apply_paper_preset(options);
  options.solver.iterations = 30;
  expect_same_as_one(X, options);
  options.solver.estimator = Estimator::signs;
  expect_same_as_one(X, options);
}

TEST(RanksOfCluster, NarrowKernelsOutliersAndIsolatedPoints) {
  Matrix<float> X = clouds(900);
  X(17, 2) = 500;  // no neighbor at all
  for (const double regularization : {0.0, 0.001})
    for (const Method method : {Method::exact, Method::minibatch}) {
      ClusterOptions options = options_for(method);
      options.gamma = 3;
      options.regularization = regularization;
      expect_same_as_one(X, options);
    }
}

TEST(RanksOfCluster, SampledDegreesKeptValuesTolerancesAndOtherAffinities) {
  const Matrix<float> X = clouds(900);
  ClusterOptions options = options_for(Method::minibatch);
  options.degrees = DegreeKind::sampled;
  options.solver.passes = 0.8;
  expect_same_as_one(X, options);
  options.solver.passes = 2.5;
  expect_same_as_one(X, options);
  options = options_for(Method::exact);
  options.memory = int64_t{1} << 30;
  options.solver.tolerance = 1e-4;
  expect_same_as_one(X, options);
  for (const AffinityKind affinity : {AffinityKind::exponential, AffinityKind::cosine}) {
    options = options_for(Method::exact);
    options.affinity = affinity;
    expect_same_as_one(X, options);
  }
  options = options_for(Method::nystrom);
  options.degrees = DegreeKind::nystrom;
  expect_same_as_one(X, options);
}

TEST(RanksOfCluster, RowsMayBeSharedOutInAnyWay) {
  const Matrix<float> X = clouds(900);
  Matrix<double> wide(900, 3);
  for (int64_t i = 0; i < X.size(); ++i) wide.data()[i] = double(X.data()[i]) + 1e-9;
  for (const Sharing sharing : {Sharing::last, Sharing::uneven}) {
    expect_same_as_one(X, options_for(Method::minibatch), sharing);
    expect_same_as_one(wide, options_for(Method::exact), sharing);
  }
}

TEST(RanksOfCluster, MoreRanksThanBlocksWork) {
  const Matrix<float> X = clouds(100);  // two blocks
  for (const Method method : {Method::exact, Method::power, Method::nystrom, Method::minibatch})
    expect_same_as_one(X, options_for(method));
  const Matrix<float> few = clouds(5);
  ClusterOptions options = options_for(Method::exact);
  options.clusters = 2;
  expect_same_as_one(few, options);
  expect_same_as_one(few, options, Sharing::uneven);
}

TEST(RanksOfCluster, APrecomputedMatrixHasTheBitsOfOne) {
  const Eigen::MatrixXd dense = testing::dense_affinity(Points(clouds(200).view()), {KernelKind::rbf, 0.5});
  Matrix<float> stored(200, 200);
  for (int64_t i = 0; i < 200; ++i)
    for (int64_t j = 0; j < 200; ++j) stored(i, j) = float(dense(i, j));
  for (const Method method : {Method::exact, Method::minibatch}) {
    ClusterOptions options = options_for(method);
    options.affinity = AffinityKind::precomputed;
    expect_same_as_one(stored, options);
  }
}

TEST(RanksOfCluster, WhatIsWrongOnOneRankIsThrownOnAll) {
  for (const int ranks : ranks_tried)
    on_ranks(ranks, [&](const Comm& comm) {
      Matrix<float> own = clouds(300);
      if (comm.rank() == ranks - 1) own(7, 1) = std::numeric_limits<float>::quiet_NaN();
      try {
        cluster(Points(own.view()), options_for(Method::exact), comm);
        ADD_FAILURE() << "nothing was thrown";
      } catch (const InvalidInput& error) {
        // Rows are counted over all ranks.
        EXPECT_EQ(std::string(error.what()),
                  "row " + std::to_string(300 * (ranks - 1) + 8) + ", feature 2: nan is not allowed");
      }
      Matrix<float> narrow(comm.rank() == 0 ? 10 : 300, comm.rank() == 0 ? 2 : 3);
      EXPECT_THROW(cluster(Points(narrow.view()), options_for(Method::exact), comm), InvalidInput);
    });
}

TEST(RanksOfCluster, RankZeroDecidesWhenToStop) {
  const Matrix<float> X = clouds(900);
  for (const int ranks : ranks_tried)
    on_ranks(ranks, [&](const Comm& comm) {
      const Range rows = rows_of(Sharing::blocks, X.rows(), comm);
      Matrix<float> own(rows.size(), 3);
      std::copy_n(X.data() + rows.begin * 3, own.size(), own.data());
      ClusterOptions options = options_for(Method::exact);
      options.solver.tolerance = 1e-30;
      int steps = 0;
      const Clustering result = cluster(Points(own.view()), options, comm, [&](const Stage& stage) {
        return comm.rank() != 0 || stage.name != "solve" || ++steps < 3;
      });
      EXPECT_EQ(result.status, Status::stopped);
      EXPECT_EQ(comm.gather<int32_t>(result.labels).size(), 900u);
    });
}

}  // namespace
}  // namespace mbsc
