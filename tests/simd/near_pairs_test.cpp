// SPDX-License-Identifier: Apache-2.0
#include "mbsc/simd/near_pairs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>
#include <vector>

#include "mbsc/base/random.h"
#include "mbsc/input.h"
#include "mbsc/simd/tile.h"

namespace mbsc {
namespace {

Matrix<float> random_points(int64_t n, int64_t d, uint64_t seed) {
  const Random random(seed, Stream::test);
  Matrix<float> X(n, d);
  for (int64_t i = 0; i < n; ++i)
    for (int64_t f = 0; f < d; ++f) X(i, f) = float(random.normal(uint64_t(i), uint64_t(f)));
  return X;
}

double half_distance(const float* x, const float* y, int64_t d) {
  double sum = 0;
  for (int64_t f = 0; f < d; ++f) sum += (double(x[f]) - y[f]) * (double(x[f]) - y[f]);
  return sum / 2;
}

std::vector<int32_t> numbers_below(int64_t n) {
  std::vector<int32_t> numbers(static_cast<size_t>(n));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

simd::PackedSet packed(const Matrix<float>& X, const std::vector<float>& center) {
  const std::vector<int32_t> all = numbers_below(X.rows());
  simd::PackedSet set;
  simd::pack_set({X.data(), X.cols(), all.data(), X.rows(), X.cols()}, center.data(), simd::Layout::both, set);
  return set;
}

/// Buffers that move their candidates to a set for each place when they are full.
struct Buffers {
  std::vector<float> limits;
  std::vector<int32_t> counts;
  std::vector<simd::Candidate> candidates;
  std::vector<std::set<int32_t>> found;
  static constexpr int64_t room = 40;

  Buffers(int64_t places, float limit)
      : limits(size_t(places), limit),
        counts(size_t(places)),
        candidates(size_t(places * room)),
        found(size_t(places)) {
    limits.resize(size_t(places) + 64, -std::numeric_limits<float>::infinity());
  }
  void empty(int64_t place) {
    for (int32_t c = 0; c < counts[size_t(place)]; ++c)
      EXPECT_TRUE(found[size_t(place)].insert(candidates[size_t(place * room + c)].point).second) << "offered twice";
    counts[size_t(place)] = 0;
  }
  void fill(simd::PairTile& tile) {
    tile.limits = limits.data();
    tile.counts = counts.data();
    tile.buffers = candidates.data();
    tile.room = room;
    tile.full = [](void* context, int64_t place) { static_cast<Buffers*>(context)->empty(place); };
    tile.context = this;
    simd::compare_pairs(tile);
    for (size_t place = 0; place < found.size(); ++place) empty(int64_t(place));
  }
};

TEST(NearPairs, OfOneSetAreAllPairsWithinTheLimit) {
  for (const int64_t n : {2, 5, 31, 64, 97, 200})
    for (const int64_t d : {1, 3, 17, 40, 300}) {
      const Matrix<float> X = random_points(n, d, uint64_t(n));
      const simd::PackedSet set = packed(X, std::vector<float>(size_t(d), 0.5F));
      const auto limit = float(d);  // the mean of half of the squared distances
      Buffers buffers(n, limit);
      simd::PairTile tile;
      tile.rows = tile.columns = &set;
      tile.is_same = true;
      buffers.fill(tile);
      for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j < n; ++j) {
          const double half = half_distance(X.row(i), X.row(j), d);
          const bool is_found = buffers.found[size_t(i)].contains(int32_t(j));
          if (half > limit * (1 + 1e-3) || i == j) {
            EXPECT_FALSE(is_found) << n << " x " << d << ": the bound is close";
          } else if (half <= limit) {
            EXPECT_TRUE(is_found) << n << " x " << d << ": the bound is a lower bound";
          }
        }
    }
}

TEST(NearPairs, BetweenTwoSetsGoOnlyToPointsThatHaveALimit) {
  const int64_t n = 70, others = 45, d = 6;
  const Matrix<float> X = random_points(n, d, 1), Y = random_points(others, d, 2);
  const std::vector<float> center(size_t(d), 0.0F);
  const simd::PackedSet rows = packed(X, center), columns = packed(Y, center);
  Buffers buffers(n + others, 5);
  std::fill(buffers.limits.begin() + n, buffers.limits.end(), -std::numeric_limits<float>::infinity());
  simd::PairTile tile;
  tile.rows = &rows;
  tile.columns = &columns;
  tile.column_place = n;
  buffers.fill(tile);
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < others; ++j)
      EXPECT_EQ(buffers.found[size_t(i)].contains(int32_t(n + j)), half_distance(X.row(i), Y.row(j), d) <= 5);
  for (int64_t j = 0; j < others; ++j) EXPECT_TRUE(buffers.found[size_t(n + j)].empty());
}

TEST(NearPairs, NearestLeadersAreInTheOrderOfTheirDistances) {
  for (const int64_t leaders : {1, 2, 30, 33, 100, 1000})
    for (const int64_t wanted : {1, 2, 8, 30}) {
      if (wanted > leaders) continue;
      const int64_t n = 20, d = 7;
      const Matrix<float> L = random_points(leaders, d, 3), X = random_points(n, d, 4);
      const std::vector<float> center(size_t(d), 0.0F);
      std::vector<int32_t> nearest(size_t(n * wanted));
      AlignedVector<float> scratch;
      simd::nearest_of(packed(L, center), packed(X, center), 0, n, wanted, nearest.data(), scratch);
      for (int64_t i = 0; i < n; ++i) {
        std::vector<std::pair<double, int32_t>> truth;
        for (int32_t l = 0; l < leaders; ++l) truth.emplace_back(half_distance(X.row(i), L.row(l), d), l);
        std::sort(truth.begin(), truth.end());
        for (int64_t w = 0; w < wanted; ++w)
          EXPECT_NEAR(half_distance(X.row(i), L.row(nearest[size_t(i * wanted + w)]), d), truth[size_t(w)].first, 1e-4)
              << leaders << " leaders, " << wanted << " wanted";
      }
    }
}

TEST(NearPairs, KnownAndFarCandidatesAreDropped) {
  const std::vector<int32_t> list{0, 3, 0, 5, 0, 8};  // the points 3, 5 and 8
  std::vector<simd::Candidate> candidates;
  for (int32_t point = 0; point < 40; ++point) candidates.push_back({float(point), point});
  candidates.resize(60);
  const int64_t kept = simd::keep_unknown(list.data(), 3, 10, candidates.data(), 40);
  std::vector<int32_t> points;
  for (int64_t c = 0; c < kept; ++c) points.push_back(candidates[size_t(c)].point);
  EXPECT_EQ(points, (std::vector<int32_t>{0, 1, 2, 4, 6, 7, 9, 10}));
}

TEST(NearPairs, KeysAreSorted) {
  for (const int64_t count : {1, 2, 7, 8, 9, 50}) {
    std::vector<int64_t> keys, sorted(static_cast<size_t>(count));
    for (int64_t i = 0; i < count; ++i) keys.push_back(int64_t(Random(5, Stream::test).bits(uint64_t(i)) >> 1));
    std::vector<int64_t> truth = keys;
    std::sort(truth.begin(), truth.end());
    keys.resize(keys.size() + 8);
    simd::sort_keys(keys.data(), count, sorted.data());
    EXPECT_EQ(sorted, truth);
  }
}

}  // namespace
}  // namespace mbsc
