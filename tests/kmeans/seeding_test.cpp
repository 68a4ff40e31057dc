// SPDX-License-Identifier: Apache-2.0
#include "mbsc/kmeans/seeding.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "mbsc/base/require.h"
#include "tests/comm/ranks.h"
#include "tests/kmeans/clouds.h"

namespace mbsc {
namespace {

Matrix<double> seeds_of(const Matrix<double>& rows, int64_t clusters, uint64_t seed,
                        std::span<const uint8_t> excluded = {}, int restart = 0) {
  const RowSpace space(rows.rows(), 1);
  return choose_seeds<double>(space, rows.view(), excluded, clusters, seed, restart);
}

TEST(Seeding, FindsEveryWellSeparatedGroup) {
  const Matrix<double> rows = make_clouds<double>(2000, 5, 12, 1e-3);
  const Matrix<double> groups = make_clouds<double>(12, 5, 12, 0);
  for (uint64_t seed = 0; seed < 10; ++seed) {
    const std::vector<int32_t> found = nearest_centers(seeds_of(rows, 12, seed), groups);
    EXPECT_EQ(std::set<int32_t>(found.begin(), found.end()).size(), 12u);
  }
}

TEST(Seeding, FirstSeedIsUniformOverRowsThatAreNotExcluded) {
  Matrix<double> rows(5, 1);
  for (int64_t i = 0; i < 5; ++i) rows(i, 0) = static_cast<double>(i);
  const std::vector<uint8_t> excluded = {0, 0, 1, 0, 0};
  std::vector<int> count(5);
  for (int restart = 0; restart < 8000; ++restart)
    ++count[static_cast<int>(seeds_of(rows, 1, 7, excluded, restart)(0, 0))];
  EXPECT_EQ(count[2], 0);
  for (const int i : {0, 1, 3, 4}) EXPECT_NEAR(count[i], 2000, 5 * std::sqrt(2000.0));
}

TEST(Seeding, SecondSeedIsDrawnBySquaredDistance) {
  // The rows are 0 (many times), 1 and -3. If 0 is the first seed, 1 and -3 are drawn with the probabilities 1/10 and
  // 9/10. Of two draws, the one with the lower potential (the sum of squared distances to the nearest seed) wins. -3
  // leaves a potential of 1, and 1 leaves 9. So 1 wins only if it is drawn twice.
  Matrix<double> rows(1002, 1);
  rows(1000, 0) = 1;
  rows(1001, 0) = -3;
  int ones = 0, runs = 0;
  for (int restart = 0; restart < 4000; ++restart) {
    const Matrix<double> seeds = seeds_of(rows, 2, 3, {}, restart);
    if (seeds(0, 0) != 0) continue;
    ++runs;
    ones += seeds(1, 0) == 1;
  }
  const double expected = runs * 0.01;
  EXPECT_NEAR(ones, expected, 5 * std::sqrt(expected));
}

TEST(Seeding, RepeatsTheLastSeedWhenDistinctRowsRunOut) {
  Matrix<double> rows(100, 1);
  for (int64_t i = 50; i < 100; ++i) rows(i, 0) = 1;
  const Matrix<double> seeds = seeds_of(rows, 4, 0);
  EXPECT_NE(seeds(0, 0), seeds(1, 0));
  EXPECT_EQ(seeds(1, 0), seeds(2, 0));
  EXPECT_EQ(seeds(1, 0), seeds(3, 0));
}

TEST(Seeding, IsTheSameForAnyThreadsAndRanks) {
  const Matrix<float> rows = make_clouds<float>(5000, 3, 4, 1);
  const Matrix<double> expected = choose_seeds<float>(RowSpace(5000, 1), rows.view(), {}, 20, 9);
  for (const int ranks : {1, 2, 3, 4, 7}) {
    testing::on_ranks(ranks, [&](const Comm& comm) {
      const RowSpace space(5000, 3, comm);
      const Range own = space.own_rows();
      const Matrix<double> seeds = choose_seeds<float>(space, rows.view().rows_between(own.begin, own.end), {}, 20, 9);
      EXPECT_TRUE(std::equal(seeds.data(), seeds.data() + seeds.size(), expected.data()));
    });
  }
}

TEST(Seeding, RefusesDistancesThatOverflow) {
  Matrix<float> rows(10, 1);
  for (int64_t i = 0; i < 10; ++i) rows(i, 0) = 1e30f * static_cast<float>(i);
  EXPECT_THROW(choose_seeds<float>(RowSpace(10, 1), rows.view(), {}, 3, 0), InvalidInput);
}

}  // namespace
}  // namespace mbsc
