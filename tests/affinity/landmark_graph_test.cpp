// SPDX-License-Identifier: Apache-2.0
#include "mbsc/affinity/landmarks/landmark_graph.h"

#include <gtest/gtest.h>

#include "mbsc/affinity/landmarks/landmark_search.h"
#include "tests/affinity/landmark_problem.h"

namespace mbsc {
namespace {

using testing::random_matrix;

Plan plan_for(int64_t n, int64_t clusters, int64_t landmarks) {
  Plan plan;
  plan.n = n;
  plan.options.clusters = clusters;
  plan.options.affinity = AffinityKind::landmarks;
  plan.options.landmarks = landmarks;
  return plan;
}

TEST(LandmarkGraph, WeightsFollowTheirDefinition) {
  const Matrix<float> X = random_matrix<float>(2000, 3, 1);
  Plan plan = plan_for(2000, 2, 150);
  const auto affinity = make_landmark_graph(Points(X.view()), RowSpace(2000, 2), plan);
  const LandmarkFactor& factor = *affinity->factor();
  EXPECT_EQ(factor.each, 5);
  EXPECT_EQ(plan.options.neighbors, 5);
  EXPECT_EQ(plan.graph->recall, 1) << "150 landmarks are searched exactly";
  // All distances of all pairs, in double.
  std::vector<std::vector<std::pair<double, int32_t>>> near(2000);
  double sum = 0, count = 0;  // of positive distances
  for (int64_t i = 0; i < 2000; ++i) {
    auto& list = near[size_t(i)];
    for (int64_t r = 0; r < 150; ++r) {
      double square = 0;
      for (int64_t f = 0; f < 3; ++f) square += std::pow(double(X(i, f)) - double(factor.landmarks(r, f)), 2);
      list.emplace_back(std::sqrt(square), int32_t(r));
    }
    std::sort(list.begin(), list.end());
    for (size_t e = 0; e < 5; ++e) sum += list[e].first, count += list[e].first > 0;
  }
  const double s = sum / count;
  EXPECT_NEAR(factor.width, s, 1e-6 * s);
  EXPECT_EQ(plan.graph->width, factor.width);
  std::vector<double> degrees(150);
  for (size_t i = 0; i < 2000; ++i)
    for (size_t e = 0; e < 5; ++e) {
      ASSERT_EQ(factor.columns[5 * i + e], near[i][e].second);
      const double weight = std::exp(-std::pow(near[i][e].first, 2) / (2 * s * s));
      ASSERT_NEAR(double(factor.weights[5 * i + e]), weight, 1e-5);
      degrees[size_t(near[i][e].second)] += weight;
    }
  for (size_t r = 0; r < 150; ++r) EXPECT_NEAR(factor.degrees[r], degrees[r], 1e-4 * degrees[r]);
}

TEST(LandmarkGraph, UnderflowLeavesTheNearestLandmarkAndAFarOutlierDoesNotWidenTheWeights) {
  Matrix<float> X = random_matrix<float>(3000, 2, 2);
  Plan plan = plan_for(3000, 1, 300);
  const double before = make_landmark_graph(Points(X.view()), RowSpace(3000, 1), plan)->factor()->width;
  X(17, 0) = 1e6F;
  plan = plan_for(3000, 1, 300);
  const auto affinity = make_landmark_graph(Points(X.view()), RowSpace(3000, 1), plan);
  EXPECT_NEAR(affinity->factor()->width, before, 0.1 * before);
  EXPECT_EQ(landmark_weight(1e12F, before, true), 1e-30F);
  EXPECT_EQ(landmark_weight(1e12F, before, false), 0);
  // If the outlier is a landmark, it is alone in its component and counts as a speck.
  EXPECT_LE(plan.graph->speck_points, 10);
  for (const double degree : affinity->degrees({}).sum) EXPECT_TRUE(std::isfinite(degree) && degree >= 0);
}

TEST(LandmarkGraph, SeparateGroupsAreComponentsAndSpecksAreIsolated) {
  // Three groups: 1,000, 1,000 and 6 points. For k = 2 a speck has fewer than 20 points.
  Matrix<float> X = random_matrix<float>(2006, 2, 3);
  for (int64_t i = 0; i < 2006; ++i) X(i, 0) += i < 1000 ? 0.0F : i < 2000 ? 1000.0F : 5000.0F;
  Plan plan = plan_for(2006, 2, 400);
  const auto affinity = make_landmark_graph(Points(X.view()), RowSpace(2006, 2), plan);
  EXPECT_EQ(plan.graph->components, 3);
  const Degrees degrees = affinity->degrees({});
  int64_t isolated = 0;
  for (const double degree : degrees.sum) isolated += degree == 0;
  EXPECT_EQ(plan.graph->speck_points, isolated);
  EXPECT_GE(isolated, 6);
  EXPECT_LE(isolated, 12) << "a few outliers of a normal cloud are specks, too";
  for (int64_t i = 2000; i < 2006; ++i) EXPECT_EQ(degrees.sum[size_t(i)], 0);
  int64_t edges = 0;
  for (const float weight : affinity->factor()->weights) edges += weight > 0;
  EXPECT_EQ(plan.graph->edges, edges);
}

TEST(LandmarkGraph, TakesFewerLandmarksIfThereAreFewDistinctPoints) {
  Matrix<float> X(600, 1);
  for (int64_t i = 0; i < 600; ++i) X(i, 0) = float(i % 4);
  Plan plan = plan_for(600, 2, 200);
  const auto affinity = make_landmark_graph(Points(X.view()), RowSpace(600, 1), plan);
  EXPECT_EQ(plan.options.landmarks, 4);
  EXPECT_EQ(plan.options.neighbors, 4);
  plan = plan_for(600, 5, 200);
  EXPECT_THROW(make_landmark_graph(Points(X.view()), RowSpace(600, 1), plan), InvalidInput);
}

TEST(LandmarkGraph, TheAutomaticNumberOfLandmarksGrowsWithTheDataUpToALimit) {
  EXPECT_EQ(automatic_landmarks(100, 3), 100);
  EXPECT_EQ(automatic_landmarks(1000, 3), 250);
  EXPECT_EQ(automatic_landmarks(10'000'000, 3), 3000);
  EXPECT_EQ(automatic_landmarks(1000, 30), 600);
  EXPECT_EQ(automatic_landmarks(10'000'000, 500), 10'000);
}

}  // namespace
}  // namespace mbsc
