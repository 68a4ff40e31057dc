// SPDX-License-Identifier: Apache-2.0
#include "mbsc/base/random.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <vector>

namespace mbsc {
namespace {

TEST(Random, NormalsHaveMeanZeroAndVarianceOne) {
  const Random random(3, Stream::test);
  double sum = 0, squares = 0;
  const int n = 200000;
  for (int i = 0; i < n; ++i) {
    const double x = random.normal(i);
    sum += x;
    squares += x * x;
  }
  // Standard errors are 1/sqrt(n) and sqrt(2/n); the bound is five of them.
  EXPECT_LT(std::abs(sum / n), 5 / std::sqrt(n));
  EXPECT_LT(std::abs(squares / n - 1), 5 * std::sqrt(2.0 / n));
}

TEST(Random, SeedsAndStreamsDoNotShareNumbers) {
  std::set<uint64_t> seen;
  for (uint64_t seed = 0; seed < 20; ++seed)
    for (const Stream stream : {Stream::start, Stream::batch, Stream::kmeans})
      for (uint64_t i = 0; i < 50; ++i) seen.insert(Random(seed, stream).bits(i, i / 7));
  EXPECT_EQ(seen.size(), 20u * 3 * 50);
}

TEST(Random, BelowIsUniform) {
  const Random random(1, Stream::test);
  std::vector<int> count(7);
  for (int i = 0; i < 70000; ++i) ++count[random.below(7, i)];
  for (const int c : count) EXPECT_NEAR(c, 10000, 5 * std::sqrt(10000.0));
}

TEST(KeyedPermutation, IsABijectionForEverySize) {
  const Random random(5, Stream::batch);
  for (const int64_t n : {1, 2, 3, 5, 16, 17, 100, 1023, 1024, 1025, 5000}) {
    const KeyedPermutation permutation(n, random, 9);
    std::vector<bool> hit(n);
    for (int64_t i = 0; i < n; ++i) {
      const int64_t j = permutation(i);
      ASSERT_TRUE(0 <= j && j < n);
      EXPECT_FALSE(hit[j]);
      hit[j] = true;
    }
  }
}

TEST(KeyedPermutation, SpreadsEachIndexEvenlyOverKeys) {
  const Random random(5, Stream::batch);
  const int64_t n = 10;
  std::vector<int> count(n);
  for (int key = 0; key < 20000; ++key) ++count[KeyedPermutation(n, random, key)(3)];
  for (const int c : count) EXPECT_NEAR(c, 2000, 5 * std::sqrt(2000.0));
}

}  // namespace
}  // namespace mbsc
