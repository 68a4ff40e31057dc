// SPDX-License-Identifier: Apache-2.0
#include "mbsc/kmeans/kmeans.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "mbsc/base/require.h"
#include "mbsc/kmeans/lloyd.h"
#include "mbsc/kmeans/seeding.h"
#include "tests/comm/ranks.h"
#include "tests/kmeans/clouds.h"

namespace mbsc {
namespace {

template <class T>
KMeansResult cluster(const Matrix<T>& rows, const KMeansOptions& options, std::span<const uint8_t> excluded = {}) {
  return kmeans<T>(RowSpace(rows.rows(), 1), rows.view(), excluded, options);
}

template <class T>
double inertia_of(const Matrix<T>& rows, const KMeansResult& result) {
  double sum = 0;
  for (int64_t i = 0; i < rows.rows(); ++i)
    for (int64_t f = 0; f < rows.cols() && result.labels[i] >= 0; ++f)
      sum += std::pow(double(rows(i, f)) - result.centers(result.labels[i], f), 2);
  return sum;
}

bool same_bits(const Matrix<double>& a, const Matrix<double>& b) {
  return a.size() == b.size() && std::equal(a.data(), a.data() + a.size(), b.data());
}

template <class T>
class KMeansOf : public ::testing::Test {};
using Precisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(KMeansOf, Precisions);

TYPED_TEST(KMeansOf, RecoversSeparatedClouds) {
  const Matrix<TypeParam> rows = make_clouds<TypeParam>(1200, 6, 6, 0.05);
  const KMeansResult result = cluster(rows, {.clusters = 6});
  EXPECT_TRUE(result.converged);
  EXPECT_EQ(cluster_sizes(result.labels, 6), std::vector<int64_t>(6, 200));
  for (int64_t i = 6; i < 1200; ++i) EXPECT_EQ(result.labels[i], result.labels[i - 6]);
  EXPECT_NEAR(result.inertia, inertia_of(rows, result), 1e-9 * result.inertia);
}

TYPED_TEST(KMeansOf, RunsAsPlainLloydDoes) {
  using T = TypeParam;
  const int64_t clusters = 9;
  const Matrix<T> rows = make_clouds<T>(2500, 4, 30, 0.5);
  const RowSpace space(rows.rows(), 1);
  Matrix<double> centers = choose_seeds<T>(space, rows.view(), {}, clusters, 5);
  const KMeansResult result = lloyd<T>(space, rows.view(), {}, centers, {40, 0}, {});
  std::vector<int32_t> labels;
  for (int iteration = 0; iteration <= result.iterations; ++iteration) {
    labels = nearest_centers(rows, centers);
    if (iteration == result.iterations) break;
    const std::vector<int64_t> sizes = cluster_sizes(labels, clusters);
    centers = Matrix<double>(clusters, rows.cols());
    for (int64_t i = 0; i < rows.rows(); ++i)
      for (int64_t f = 0; f < rows.cols(); ++f)
        centers(labels[i], f) += double(rows(i, f)) / static_cast<double>(sizes[labels[i]]);
  }
  EXPECT_GT(result.iterations, 5);
  EXPECT_EQ(result.labels, labels);
}

TYPED_TEST(KMeansOf, LabelsBelongToTheReturnedCenters) {
  for (const double tolerance : {0.0, 1e-4, 1e-1}) {
    const Matrix<TypeParam> rows = make_clouds<TypeParam>(2500, 4, 30, 0.5);
    const KMeansResult result = cluster(rows, {.clusters = 12, .restarts = 2, .tolerance = tolerance, .seed = 1});
    EXPECT_TRUE(result.converged);
    EXPECT_EQ(result.labels, nearest_centers(rows, result.centers));
  }
}

TYPED_TEST(KMeansOf, FillsEveryClusterWhenDistinctRowsRunOut) {
  for (const int64_t distinct : {1, 2, 3, 5}) {
    Matrix<TypeParam> rows(200, 3);
    for (int64_t i = 0; i < rows.size(); ++i)
      rows.data()[i] = static_cast<TypeParam>(0.1) * static_cast<TypeParam>(1 + i / 3 % distinct);
    const KMeansResult result = cluster(rows, {.clusters = 7, .restarts = 3});
    const std::vector<int64_t> sizes = cluster_sizes(result.labels, 7);
    EXPECT_GE(*std::min_element(sizes.begin(), sizes.end()), 1);
    EXPECT_TRUE(result.converged);
    EXPECT_LE(result.iterations, 3);
    EXPECT_NEAR(result.inertia, 0, 1e-12);
    for (int64_t i = 0; i < 200; ++i)  // no cluster contains two different rows
      for (int64_t j = 0; j < i; ++j) EXPECT_TRUE(result.labels[i] != result.labels[j] || i % distinct == j % distinct);
  }
}

TYPED_TEST(KMeansOf, AsManyClustersAsRowsGivesEachItsOwn) {
  const Matrix<TypeParam> rows = make_clouds<TypeParam>(40, 2, 40, 0);
  const KMeansResult result = cluster(rows, {.clusters = 40, .restarts = 1});
  EXPECT_EQ(cluster_sizes(result.labels, 40), std::vector<int64_t>(40, 1));
  EXPECT_EQ(result.inertia, 0);
}

TYPED_TEST(KMeansOf, AnEmptiedClusterTakesTheFarthestRow) {
  using T = TypeParam;
  // The two centers coincide, so the second cluster starts empty. Rows 2 and 3 are equally far from them; the row with
  // the lower number moves.
  Matrix<T> rows(4, 1);
  const double values[] = {0, 0, -5, 5};
  for (int64_t i = 0; i < 4; ++i) rows(i, 0) = static_cast<T>(values[i]);
  const KMeansResult result = lloyd<T>(RowSpace(4, 1), rows.view(), {}, Matrix<double>(2, 1), {1, 0}, {});
  EXPECT_EQ(result.labels, (std::vector<int32_t>{0, 0, 1, 0}));
  EXPECT_EQ(result.centers(1, 0), -5);
}

template <class T>
void expect_same_bits_for_any_threads_and_ranks(const Matrix<T>& rows) {
  const int64_t n = rows.rows();
  std::vector<uint8_t> excluded(n);
  for (int64_t i = 0; i < n; i += 11) excluded[i] = 1;
  const KMeansOptions options{.clusters = 13, .restarts = 3, .seed = 4};
  const KMeansResult expected = kmeans<T>(RowSpace(n, 1), rows.view(), excluded, options);
  for (const int ranks : {1, 2, 3, 4, 7, 60})  // 60: more ranks than blocks
    for (const int threads : {1, 3}) {
      testing::on_ranks(ranks, [&](const Comm& comm) {
        const RowSpace space(n, threads, comm);
        const Range own = space.own_rows();
        const KMeansResult result = kmeans<T>(space, rows.view().rows_between(own.begin, own.end),
                                              std::span(excluded).subspan(own.begin, own.size()), options);
        EXPECT_EQ(result.inertia, expected.inertia);
        EXPECT_EQ(result.iterations, expected.iterations);
        EXPECT_TRUE(same_bits(result.centers, expected.centers));
        EXPECT_TRUE(std::equal(result.labels.begin(), result.labels.end(), expected.labels.begin() + own.begin,
                               expected.labels.begin() + own.end));
      });
    }
}

TYPED_TEST(KMeansOf, HasTheSameBitsForAnyThreadsAndRanks) {
  expect_same_bits_for_any_threads_and_ranks(make_clouds<TypeParam>(3000, 5, 20, 0.4));
  // There are only six distinct rows, so seven of the 13 clusters start empty. Some get rows of other ranks.
  expect_same_bits_for_any_threads_and_ranks(make_clouds<TypeParam>(3000, 5, 6, 0));
}

TYPED_TEST(KMeansOf, ExcludedRowsHaveNoLabelAndNoInfluence) {
  using T = TypeParam;
  Matrix<T> rows = make_clouds<T>(600, 3, 4, 0.1);
  std::vector<uint8_t> excluded(600);
  for (int64_t i = 0; i < 600; i += 7) excluded[i] = 1;
  const KMeansOptions options{.clusters = 4, .restarts = 2};
  const KMeansResult before = cluster(rows, options, excluded);
  for (int64_t i = 0; i < 600; i += 7)
    for (int64_t f = 0; f < 3; ++f) rows(i, f) = std::numeric_limits<T>::quiet_NaN();
  const KMeansResult after = cluster(rows, options, excluded);
  EXPECT_EQ(before.labels, after.labels);
  EXPECT_TRUE(same_bits(before.centers, after.centers));
  for (int64_t i = 0; i < 600; ++i) EXPECT_EQ(after.labels[i] == -1, excluded[i] == 1);
}

TYPED_TEST(KMeansOf, IsNotDisturbedByAFarOffset) {
  using T = TypeParam;
  const T offset = 4096;
  Matrix<T> rows(900, 2);
  for (int64_t i = 0; i < 900; ++i)
    for (int64_t f = 0; f < 2; ++f)
      rows(i, f) = offset + static_cast<T>((i % 3) * (f + 1)) / 64 + static_cast<T>(i % 2) / 1024;
  const KMeansResult result = cluster(rows, {.clusters = 3});
  for (int64_t i = 3; i < 900; ++i) EXPECT_EQ(result.labels[i], result.labels[i - 3]);
}

TEST(KMeans, MoreRestartsNeverRaiseInertia) {
  const Matrix<float> rows = make_clouds<float>(1500, 3, 40, 0.2);
  double before = std::numeric_limits<double>::infinity();
  for (const int restarts : {1, 3, 10}) {
    const double inertia = cluster(rows, {.clusters = 25, .restarts = restarts, .seed = 2}).inertia;
    EXPECT_LE(inertia, before);
    before = inertia;
  }
}

TEST(KMeans, AskedToStopItReturnsACompleteAssignment) {
  const Matrix<float> rows = make_clouds<float>(1500, 3, 40, 0.5);
  const std::atomic<bool> flag{true};
  const KMeansResult result = kmeans<float>(RowSpace(1500, 1), rows.view(), {}, {.clusters = 10}, StopToken(flag));
  EXPECT_FALSE(result.converged);
  EXPECT_EQ(result.iterations, 0);
  EXPECT_EQ(result.labels, nearest_centers(rows, result.centers));
}

TEST(KMeans, RefusesWhatCannotBeClustered) {
  Matrix<double> rows = make_clouds<double>(20, 2, 2, 1);
  EXPECT_THROW(cluster(rows, {.clusters = 0}), InvalidInput);
  EXPECT_THROW(cluster(rows, {.clusters = 21}), InvalidInput);
  EXPECT_THROW(cluster(rows, {.clusters = 2, .restarts = 0}), InvalidInput);
  EXPECT_THROW(cluster(rows, {.clusters = 2, .tolerance = -1}), InvalidInput);
  std::vector<uint8_t> excluded(20, 1);
  excluded[3] = 0;
  EXPECT_THROW(cluster(rows, {.clusters = 2}, excluded), InvalidInput);
  rows(7, 1) = std::numeric_limits<double>::infinity();
  EXPECT_THROW(cluster(rows, {.clusters = 2}), InvalidInput);
}

}  // namespace
}  // namespace mbsc
