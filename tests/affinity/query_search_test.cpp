// SPDX-License-Identifier: Apache-2.0
#include "mbsc/affinity/graph/query_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tests/affinity/dense_oracle.h"

namespace mbsc {
namespace {

using testing::random_matrix;

NeighborLists nearest_of(const Matrix<float>& fitted, const SearchIndex& index, const Matrix<float>& queries,
                         int64_t each, int threads = 1) {
  std::vector<int64_t> rows(size_t(queries.rows()));
  std::iota(rows.begin(), rows.end(), int64_t{0});
  return find_nearest(Points(fitted.view()), index, Points(queries.view()), rows, each, Metric::euclidean, threads, {});
}

/// n points with d features on a curved surface of only three dimensions.
Matrix<float> sheet(int64_t n, int64_t d, uint64_t seed) {
  const Matrix<float> flat = random_matrix<float>(n, 3, seed), turn = random_matrix<float>(3, d, 6);
  Matrix<float> X(n, d);
  for (int64_t i = 0; i < n; ++i)
    for (int64_t f = 0; f < d; ++f)
      for (int64_t c = 0; c < 3; ++c) X(i, f) += std::sin(flat(i, c)) * turn(c, f);
  return X;
}

/// The numbers of the distinct fitted points, sorted by their distance from a query, in double.
std::vector<std::pair<double, int32_t>> all_distances(const Matrix<float>& fitted, const float* query) {
  std::vector<std::pair<double, int32_t>> found;
  for (int64_t i = 0; i < fitted.rows(); ++i) {
    double sum = 0;
    for (int64_t f = 0; f < fitted.cols(); ++f) sum += std::pow(double(fitted(i, f)) - double(query[f]), 2);
    found.emplace_back(sum, int32_t(i));
  }
  std::sort(found.begin(), found.end());
  return found;
}

TEST(QuerySearch, OfFewPointsIsBruteForceForAnyNumberOfFeatures) {
  for (const int64_t d : {1, 2, 17, 300}) {
    const Matrix<float> X = random_matrix<float>(700, d, 1), Y = random_matrix<float>(50, d, 2);
    const SearchIndex index = make_index(Points(X.view()), {.each = 9});
    EXPECT_TRUE(index.leaders.empty());
    const NeighborLists lists = nearest_of(X, index, Y, 9);
    for (int64_t q = 0; q < 50; ++q) {
      const auto truth = all_distances(X, Y.row(q));
      for (size_t e = 0; e < 9; ++e) {
        EXPECT_EQ(lists.of(q)[e].point, truth[e].second) << "query " << q << ", " << d << " features";
        EXPECT_NEAR(lists.of(q)[e].distance, truth[e].first, 1e-5 * truth[e].first);
      }
    }
  }
}

TEST(QuerySearch, OfManyPointsHasTheRecallAskedFor) {
  const Matrix<float> X = sheet(20000, 12, 5), Y = sheet(500, 12, 7);
  const int64_t m = 12;
  for (const double recall : {0.8, 0.97}) {
    const SearchIndex index = make_index(Points(X.view()), {.each = m, .recall = recall, .threads = 2});
    ASSERT_EQ(index.leaders.size(), 282U) << "2 sqrt(20000)";
    const NeighborLists lists = nearest_of(X, index, Y, m, 2), truth = nearest_of(X, {}, Y, m, 2);
    int64_t found = 0;
    for (int64_t q = 0; q < 500; ++q)
      for (const NearPoint& near : truth.of(q))
        found += std::binary_search(lists.of(q).begin(), lists.of(q).end(), near);
    // Probes are chosen by 256 fitted points and checked with 500 new ones: with shares that spread by at most 0.3, the
    // standard error of the difference is below 0.025.
    EXPECT_GE(double(found) / double(500 * m), recall - 0.05);
  }
}

TEST(QuerySearch, DoesNotDependOnThreadsOrOtherQueries) {
  const Matrix<float> X = sheet(20000, 6, 5), Y = sheet(300, 6, 8);
  const SearchIndex index = make_index(Points(X.view()), {.each = 9, .threads = 1});
  const SearchIndex again = make_index(Points(X.view()), {.each = 9, .threads = 3});
  EXPECT_EQ(index.probes, again.probes);
  EXPECT_EQ(index.leader_of, again.leader_of);
  const NeighborLists one = nearest_of(X, index, Y, 9, 1);
  EXPECT_EQ(one.points, nearest_of(X, index, Y, 9, 3).points);
  std::vector<NearPoint> parts;
  for (int64_t first = 0; first < 300; first += 70) {
    std::vector<int64_t> rows(size_t(std::min<int64_t>(70, 300 - first)));
    std::iota(rows.begin(), rows.end(), first);
    const NeighborLists some =
        find_nearest(Points(X.view()), index, Points(Y.view()), rows, 9, Metric::euclidean, 2, {});
    parts.insert(parts.end(), some.points.begin(), some.points.end());
  }
  EXPECT_EQ(one.points, parts);
}

TEST(QuerySearch, AFittedPointFindsItselfAlsoInAPartition) {
  const Matrix<float> X = sheet(20000, 6, 5);
  const SearchIndex index = make_index(Points(X.view()), {.each = 3, .recall = 0.1});
  ASSERT_FALSE(index.leaders.empty());
  const NeighborLists lists = nearest_of(X, index, X, 3, 2);
  for (int64_t i = 0; i < X.rows(); ++i) ASSERT_EQ(lists.of(i)[0], (NearPoint{0, int32_t(i)}));
}

TEST(QuerySearch, EqualPointsCountOnceAndTheFirstOfThemIsFound) {
  Matrix<float> X = random_matrix<float>(600, 3, 3);
  for (int64_t i = 0; i < 600; ++i) std::copy_n(X.row(i % 100), 3, X.row(i));
  const SearchIndex index = make_index(Points(X.view()), {.each = 10});
  EXPECT_EQ(index.firsts.size(), 100U);
  const Matrix<float> Y = random_matrix<float>(20, 3, 4);
  const NeighborLists lists = nearest_of(X, index, Y, 120);
  for (int64_t q = 0; q < 20; ++q) {
    std::vector<int32_t> points;
    for (const NearPoint& near : lists.of(q)) points.push_back(near.point);
    std::sort(points.begin(), points.end());
    for (int32_t e = 0; e < 120; ++e) EXPECT_EQ(points[size_t(e)], e < 20 ? -1 : e - 20);
  }
}

TEST(QuerySearch, PointsBeyondTheRangeOfSquaredFloatsHaveNoList) {
  const Matrix<float> X = random_matrix<float>(300, 2, 3);
  Matrix<float> Y(3, 2);
  Y(0, 0) = 1e25F;
  Y(1, 1) = -1e12F;
  const NeighborLists lists = nearest_of(X, {}, Y, 5);
  EXPECT_EQ(lists.of(0)[0].point, -1);
  EXPECT_GE(lists.of(1)[4].point, 0) << "this one is far, but within the range";
  EXPECT_EQ(lists.of(2)[0].point, all_distances(X, Y.row(2))[0].second);
}

TEST(QuerySearch, StopsOnRequest) {
  const Matrix<float> X = sheet(20000, 6, 5);
  const std::atomic<bool> stop{true};
  EXPECT_THROW(make_index(Points(X.view()), {.each = 9, .stop = StopToken(stop)}), Stopped);
}

}  // namespace
}  // namespace mbsc
