// SPDX-License-Identifier: Apache-2.0
// cluster() with labels by cluster_qr, and with a soft cutoff.
#include <gtest/gtest.h>

#include <cmath>

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

TEST(Assign, DirectLabelsFindBlobsRingsAndMoonsAndDoNotDependOnTheSeed) {
  for (const auto& [shape, clusters] : {std::pair{Shape::blobs, 3}, {Shape::rings, 2}, {Shape::moons, 2}})
    for (const EmbeddingScale scale : {EmbeddingScale::none, EmbeddingScale::row, EmbeddingScale::degree}) {
      const Sample s = sample(shape, 500);
      ClusterOptions options = options_for(clusters);
      options.assign = Assign::cluster_qr;
      options.embedding_scale = scale;
      const Clustering result = cluster(Points(s.X.view()), options);
      EXPECT_TRUE(same_partition(result.labels, s.classes)) << "shape " << int(shape) << ", scale " << int(scale);
      expect_well_formed(result, 500, clusters);
      EXPECT_TRUE(std::isnan(result.inertia));
      options.gamma = result.plan.options.gamma;
      options.seed = 5;
      EXPECT_EQ(cluster(Points(s.X.view()), options).labels, result.labels);
    }
}

TEST(Assign, DirectLabelsLeaveOutIsolatedPointsAndFillEveryCluster) {
  Matrix<float> X = random_matrix<float>(202, 2, 2);
  for (int64_t i = 0; i < 200; ++i) X(i, 0) += i % 2 == 0 ? 0.0f : 100.0f;
  X(200, 0) = -60;  // nearer to the even rows
  X(201, 0) = 160;
  ClusterOptions options = options_for(2);
  options.gamma = 0.5;
  options.assign = Assign::cluster_qr;
  const Clustering result = cluster(Points(X.view()), options);
  EXPECT_EQ(result.degrees.isolated_points, 2);
  for (int64_t i = 0; i < 200; ++i) EXPECT_EQ(result.labels[size_t(i)], result.labels[size_t(i % 2)]);
  EXPECT_EQ(result.labels[200], result.labels[0]);
  EXPECT_EQ(result.labels[201], result.labels[1]);
  for (const int64_t clusters : {5, 30, 199}) {
    options.clusters = clusters;
    expect_well_formed(cluster(Points(X.view()), options), 202, clusters);
  }
}

TEST(Cutoff, IsSoftForNeighborsWithKMeansOnly) {
  const Sample s = sample(Shape::moons, 1000);
  ClusterOptions options = options_for(3);
  const Clustering soft = cluster(Points(s.X.view()), options);
  EXPECT_EQ(soft.plan.options.cutoff, Cutoff::soft);
  ASSERT_TRUE(soft.pairs.weighted.has_value());
  const WeightedPairs<float>& weighted = *soft.pairs.weighted;
  const int64_t columns = weighted.vectors.cols();
  EXPECT_GT(columns, 3) << "each of two long shapes could be cut next";
  EXPECT_EQ(soft.cluster_centers.cols(), columns);
  EXPECT_EQ(soft.pairs.vectors.cols(), 3);
  for (int64_t i = 0; i < 1000; ++i)
    for (int64_t j = 0; j < 3; ++j)
      EXPECT_EQ(weighted.vectors(i, j), float(weighted.weights[size_t(j)]) * soft.pairs.vectors(i, j));
  options.cutoff = Cutoff::sharp;
  const Clustering sharp = cluster(Points(s.X.view()), options);
  EXPECT_FALSE(sharp.pairs.weighted.has_value());
  EXPECT_EQ(sharp.cluster_centers.cols(), 3);
  options = options_for(3);
  options.assign = Assign::cluster_qr;
  EXPECT_EQ(cluster(Points(s.X.view()), options).plan.options.cutoff, Cutoff::sharp);
  options.cutoff = Cutoff::soft;
  EXPECT_THROW(cluster(Points(s.X.view()), options), InvalidInput);
  options = options_for(3);
  const Points few = Points(s.X.view()).rows_between(0, 999);
  EXPECT_EQ(cluster(few, options).plan.options.cutoff, Cutoff::sharp) << "too few points";
}

}  // namespace
}  // namespace mbsc
