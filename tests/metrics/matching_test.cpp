// SPDX-License-Identifier: Apache-2.0
#include "mbsc/metrics/matching.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "mbsc/base/random.h"
#include "mbsc/input.h"

namespace mbsc {
namespace {

int64_t weight_of(const Matrix<int64_t>& table, const std::vector<int32_t>& partner) {
  int64_t sum = 0;
  for (int64_t r = 0; r < table.rows(); ++r)
    if (partner[r] >= 0) sum += table(r, partner[r]);
  return sum;
}

/// The largest weight of a one-to-one map, found by trying all orders of the columns.
int64_t brute_force(const Matrix<int64_t>& table) {
  const int64_t larger = std::max(table.rows(), table.cols());
  std::vector<int32_t> order(larger);
  std::iota(order.begin(), order.end(), 0);
  int64_t best = 0;
  do {
    int64_t sum = 0;
    for (int64_t r = 0; r < table.rows(); ++r)
      if (order[r] < table.cols()) sum += table(r, order[r]);
    best = std::max(best, sum);
  } while (std::next_permutation(order.begin(), order.end()));
  return best;
}

std::vector<int32_t> match(const Matrix<int64_t>& table) {
  std::vector<WeightedPair> pairs;
  for (int32_t r = 0; r < table.rows(); ++r)
    for (int32_t c = 0; c < table.cols(); ++c)
      if (table(r, c) > 0) pairs.push_back({r, c, table(r, c)});
  return heaviest_matching(static_cast<int32_t>(table.rows()), static_cast<int32_t>(table.cols()), pairs);
}

TEST(Matching, IsAsHeavyAsTheBestOfAllPermutations) {
  const Random random(1, Stream::test);
  for (uint64_t trial = 0; trial < 1500; ++trial) {
    Matrix<int64_t> table(1 + random.below(6, trial, 1), 1 + random.below(6, trial, 2));
    const int64_t bound = trial % 3 == 0 ? 3 : 100;   // small numbers give many ties
    const double density = 0.3 + 0.35 * (trial % 3);  // share of pairs that occur
    for (int64_t i = 0; i < table.size(); ++i)
      if (random.uniform(trial, 100 + i) < density) table.data()[i] = 1 + random.below(bound, trial, 1000 + i);
    const std::vector<int32_t> partner = match(table);
    std::multiset<int32_t> used(partner.begin(), partner.end());
    used.erase(-1);
    for (const int32_t column : used) EXPECT_EQ(used.count(column), 1u);
    ASSERT_EQ(weight_of(table, partner), brute_force(table)) << "trial " << trial;
  }
}

TEST(Matching, LeavesARowSingleWhenThatIsHeavier) {
  Matrix<int64_t> table(2, 1);
  table(0, 0) = 3;
  table(1, 0) = 5;
  EXPECT_EQ(match(table), (std::vector<int32_t>{-1, 0}));
}

TEST(Matching, FindsAHiddenPermutationOfManyLabels) {
  const int64_t k = 400;
  const Random random(2, Stream::test);
  const KeyedPermutation permutation(k, random, 7);
  Matrix<int64_t> table(k, k);
  for (int64_t r = 0; r < k; ++r) {
    for (int64_t c = 0; c < k; ++c) table(r, c) = 1 + random.below(50, r, c);
    table(r, permutation(r)) = 100;
  }
  const std::vector<int32_t> partner = match(table);
  for (int64_t r = 0; r < k; ++r) EXPECT_EQ(partner[r], permutation(r));
}

}  // namespace
}  // namespace mbsc
