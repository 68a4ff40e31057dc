// SPDX-License-Identifier: Apache-2.0
#include "mbsc/affinity/graph/neighbor_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "mbsc/base/require.h"
#include "tests/affinity/dense_oracle.h"

namespace mbsc {
namespace {

using testing::random_matrix;

double squared_distance(const Matrix<float>& X, int64_t i, int64_t j) {
  double sum = 0;
  for (int64_t f = 0; f < X.cols(); ++f) sum += (double(X(i, f)) - X(j, f)) * (double(X(i, f)) - X(j, f));
  return sum;
}

/// The m smallest squared distances from point i to the other points, by brute force in double.
std::vector<double> nearest_distances(const Matrix<float>& X, int64_t i, int64_t m) {
  std::vector<double> distances;
  for (int64_t j = 0; j < X.rows(); ++j)
    if (j != i) distances.push_back(squared_distance(X, i, j));
  std::sort(distances.begin(), distances.end());
  distances.resize(size_t(m));
  return distances;
}

/// Checks the list of every `step`-th point: it has lists.each different points, without the point itself, sorted from
/// the nearest on, with their true distances.
void expect_well_formed(const NeighborLists& lists, const Matrix<float>& X, int64_t step = 1) {
  ASSERT_EQ(lists.size(), X.rows());
  for (int64_t i = 0; i < X.rows(); i += step) {
    std::set<int32_t> points;
    for (const NearPoint& near : lists.of(i)) {
      points.insert(near.point);
      const double distance = squared_distance(X, i, near.point);
      ASSERT_NEAR(near.distance, distance, 1e-5 * distance) << "point " << i;
    }
    ASSERT_EQ(int64_t(points.size()), lists.each) << "point " << i;
    ASSERT_FALSE(points.contains(int32_t(i)));
    ASSERT_TRUE(std::is_sorted(lists.of(i).begin(), lists.of(i).end()));
  }
}

TEST(NeighborSearch, TheMetricCosineIsTheDistanceOfDirections) {
  for (const int64_t n : {500, 20000}) {
    Matrix<float> X = random_matrix<float>(n, 6, 3), unit(n, 6);
    for (int64_t i = 0; i < n; ++i) {
      double squares = 0;
      for (int64_t f = 0; f < 6; ++f) squares += double(X(i, f)) * X(i, f);
      const auto length = float(std::sqrt(squares)), factor = float(std::ldexp(1.0, int(i % 40) - 20));
      for (int64_t f = 0; f < 6; ++f) {
        unit(i, f) = X(i, f) / length;
        X(i, f) *= factor;  // a power of two changes no direction
      }
    }
    std::copy_n(X.row(1), 6, X.row(0));
    for (int64_t f = 0; f < 6; ++f) X(0, f) *= 4, X(2, f) = 0;
    std::copy_n(unit.row(1), 6, unit.row(0));
    std::fill_n(unit.row(2), 6, 0.0F);
    const NeighborSearch search{.each = 8, .threads = 2, .metric = Metric::cosine};
    const NeighborLists lists = by_point(find_neighbors(Points(X.view()), search));
    EXPECT_EQ(lists.distinct, n - 1) << "two points have the same direction";
    double found = 0;
    for (int64_t i = 0; i < n; i += n / 100) {
      const std::vector<double> truth = nearest_distances(unit, i, 8);
      for (const NearPoint& near : lists.of(i)) {
        ASSERT_NEAR(near.distance, squared_distance(unit, i, near.point), 1e-5) << "point " << i;
        found += near.distance <= truth.back() + 1e-6;
      }
    }
    EXPECT_GE(found, n == 500 ? 790 : 760) << "a list has one of two equal points before both";
  }
  Matrix<float> line(5, 2);
  for (int64_t i = 0; i < 5; ++i) line(i, 0) = line(i, 1) = float(i + 1);
  const NeighborSearch search{.each = 2, .metric = Metric::cosine};
  EXPECT_THROW(find_neighbors(Points(line.view()), search), InvalidInput);
}

TEST(NeighborSearch, ComparesAllPairsOfFewPointsAndFindsTheNearest) {
  for (const int64_t n : {2, 3, 17, 192, 193, 700, 2000})
    for (const int64_t d : {1, 2, 9, 40}) {
      const int64_t m = std::min<int64_t>(n - 1, 10);
      const Matrix<float> X = random_matrix<float>(n, d, uint64_t(n + d));
      const NeighborLists lists = by_point(find_neighbors(Points(X.view()), {.each = m, .threads = 2}));
      expect_well_formed(lists, X);
      EXPECT_EQ(lists.recall, 1);
      for (int64_t i = 0; i < n; i += 7) {
        const std::vector<double> truth = nearest_distances(X, i, m);
        for (int64_t e = 0; e < m; ++e)
          ASSERT_NEAR(lists.of(i)[size_t(e)].distance, truth[size_t(e)], 1e-5 * truth[size_t(e)]) << n << " x " << d;
      }
    }
}

TEST(NeighborSearch, FindsNearPointsFarFromTheOriginAndBesideOutliers) {
  Matrix<float> X = random_matrix<float>(1000, 5, 3);
  for (int64_t i = 0; i < 1000; ++i) X(i, 2) += i % 2 == 0 ? 3000.0F : -5000.0F;
  X(7, 0) = 1e7F;
  const NeighborLists lists = by_point(find_neighbors(Points(X.view()), {.each = 8}));
  expect_well_formed(lists, X);
  for (int64_t i = 0; i < 1000; i += 3) {
    const std::vector<double> truth = nearest_distances(X, i, 8);
    for (int64_t e = 0; e < 8; ++e)
      ASSERT_NEAR(lists.of(i)[size_t(e)].distance, truth[size_t(e)], 1e-5 * truth[size_t(e)]) << "point " << i;
  }
}

/// n points with d features on a curved surface of only three dimensions.
Matrix<float> sheet(int64_t n, int64_t d) {
  const Matrix<float> flat = random_matrix<float>(n, 3, 5), turn = random_matrix<float>(3, d, 6);
  Matrix<float> X(n, d);
  for (int64_t i = 0; i < n; ++i)
    for (int64_t f = 0; f < d; ++f)
      for (int64_t c = 0; c < 3; ++c) X(i, f) += std::sin(flat(i, c)) * turn(c, f);
  return X;
}

TEST(NeighborSearch, OfManyPointsReachesTheRecallThatItMeasures) {
  const int64_t n = 20000, m = 12;
  const Matrix<float> X = sheet(n, 12);
  const NeighborLists lists = by_point(find_neighbors(Points(X.view()), {.each = m, .recall = 0.97, .threads = 2}));
  const NeighborLists truth = by_point(find_neighbors(Points(X.view()), {.each = m, .recall = 1, .threads = 2}));
  expect_well_formed(lists, X, 11);
  EXPECT_LT(lists.recall_error, 0.02);
  EXPECT_GE(lists.recall, 0.97);
  int64_t found = 0;
  for (int64_t i = 0; i < n; ++i)
    for (const NearPoint& near : truth.of(i)) found += std::binary_search(lists.of(i).begin(), lists.of(i).end(), near);
  // The measured recall is a mean over 512 points. The bound is five standard errors, plus a margin in case the
  // estimated standard error is zero.
  EXPECT_NEAR(double(found) / double(n * m), lists.recall, 5 * lists.recall_error + 0.002);
}

TEST(NeighborSearch, GivesTheSameListsForAnyNumberOfThreads) {
  const Matrix<float> X = sheet(20000, 6);
  for (const double recall : {0.9, 1.0}) {
    const NeighborLists one = by_point(find_neighbors(Points(X.view()), {.each = 9, .recall = recall, .threads = 1}));
    for (const int threads : {2, 3}) {
      const NeighborLists many =
          by_point(find_neighbors(Points(X.view()), {.each = 9, .recall = recall, .threads = threads}));
      EXPECT_EQ(one.points, many.points) << threads << " threads, recall " << recall;
      EXPECT_EQ(one.recall, many.recall);
    }
  }
}

TEST(NeighborSearch, LeavesHalfOfAListToOtherPointsIfThereAreManyCopies) {
  const int64_t n = 3000, m = 10;
  Matrix<float> X = random_matrix<float>(n, 3, 8);
  for (int64_t i = 0; i < n; ++i)
    if (i % 10 < 7) std::copy_n(X.row(i % 10), 3, X.row(i));  // seven points with hundreds of copies
  const NeighborLists lists = by_point(find_neighbors(Points(X.view()), {.each = m, .threads = 2}));
  expect_well_formed(lists, X);
  EXPECT_EQ(lists.distinct, 7 + n * 3 / 10);
  for (int64_t i = 0; i < n; ++i) {
    const auto list = lists.of(i);
    const auto copies = std::count_if(list.begin(), list.end(), [](const NearPoint& p) { return p.distance == 0; });
    EXPECT_EQ(copies, i % 10 < 7 ? m / 2 : 0) << "point " << i;
  }
}

TEST(NeighborSearch, AcceptsFewerDistinctPointsThanNeighbors) {
  Matrix<float> X(40, 2);
  for (int64_t i = 0; i < 40; ++i) X(i, 0) = float(i % 3);
  const NeighborLists lists = by_point(find_neighbors(Points(X.view()), {.each = 20}));
  expect_well_formed(lists, X);
  EXPECT_EQ(lists.distinct, 3);
}

TEST(NeighborSearch, StopsOnRequest) {
  const Matrix<float> X = sheet(20000, 6);
  const std::atomic<bool> stop{true};
  EXPECT_THROW(find_neighbors(Points(X.view()), {.each = 9, .stop = StopToken(stop)}), Stopped);
}

}  // namespace
}  // namespace mbsc
