// SPDX-License-Identifier: Apache-2.0
#include "mbsc/affinity/pair_ring.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <stdexcept>
#include <vector>

namespace mbsc {
namespace {

/// Row block, distance.
using Tile = std::pair<int64_t, int64_t>;

std::vector<Tile> tiles_of(const PairRing& ring, Range own) {
  std::vector<Tile> tiles;
  const Range turns = ring.turns(own);
  for (int64_t turn = turns.begin; turn < turns.end; ++turn) {
    const Range rows = ring.rows_of_turn(own, turn);
    for (int64_t row = rows.end - 1; row >= rows.begin; --row) tiles.emplace_back(row, turn - row);
  }
  return tiles;
}

TEST(PairRing, EveryPairMeetsExactlyOnceAndTilesAreNumberedWithoutGaps) {
  for (int64_t blocks = 1; blocks <= 40; ++blocks) {
    const PairRing ring(blocks);
    std::map<std::pair<int64_t, int64_t>, int> meetings;
    std::set<int64_t> numbers;
    for (const auto& [row, distance] : tiles_of(ring, {0, blocks})) {
      const int64_t column = ring.column_of(row + distance);
      ++meetings[{std::min(row, column), std::max(row, column)}];
      numbers.insert(ring.index(row, distance));
      EXPECT_LE(distance, ring.reach_of_row(row));
      EXPECT_LE(distance, ring.reach_of_column(column));
    }
    EXPECT_EQ(ring.tiles(), blocks * (blocks + 1) / 2);
    EXPECT_EQ(int64_t(meetings.size()), ring.tiles()) << blocks << " blocks";
    for (const auto& [pair, count] : meetings) EXPECT_EQ(count, 1) << pair.first << ", " << pair.second;
    EXPECT_EQ(int64_t(numbers.size()), ring.tiles());
    EXPECT_EQ(*numbers.rbegin(), ring.tiles() - 1);
  }
}

TEST(PairRing, RanksTogetherHaveTheTilesOfOneAndEveryBlockTheSameOrder) {
  for (int64_t blocks = 1; blocks <= 23; ++blocks)
    for (const int ranks : {1, 2, 3, 5, 7, 30}) {
      const PairRing ring(blocks);
      std::set<Tile> all;
      for (int rank = 0; rank < ranks; ++rank) {
        const Range own{blocks * rank / ranks, blocks * (rank + 1) / ranks};
        std::map<int64_t, int64_t> next_of_row, last_of_column;
        for (const auto& [row, distance] : tiles_of(ring, own)) {
          EXPECT_TRUE(own.contains(row));
          EXPECT_TRUE(all.insert({row, distance}).second);
          EXPECT_EQ(distance, next_of_row[row]++) << "a row meets its columns by rising distance";
          // A column that comes from another rank has met the rows above this rank's.
          const int64_t turn = row + distance;
          const auto [known, is_new] = last_of_column.try_emplace(turn, distance);
          if (is_new) {
            EXPECT_EQ(distance, std::max<int64_t>(0, turn - (own.end - 1)));
          } else {
            EXPECT_EQ(distance, ++known->second) << "and a column its rows";
          }
        }
        // It goes on to the rank below where that has rows it has not met.
        for (const auto& [turn, distance] : last_of_column)
          EXPECT_EQ(distance, std::min(turn - own.begin, ring.reach_of_column(ring.column_of(turn))));
      }
      EXPECT_EQ(int64_t(all.size()), ring.tiles()) << blocks << " blocks, " << ranks << " ranks";
    }
}

TEST(PairRing, RanksHaveWorkInProportionToTheirRows) {
  const PairRing ring(41);
  for (const int64_t begin : {0, 10, 31}) EXPECT_EQ(tiles_of(ring, {begin, begin + 10}).size(), 10u * 21);
}

TEST(PairRing, AColumnThatComesTwiceHasAWholeStripBetween) {
  for (int64_t blocks = 1; blocks <= 40; ++blocks)
    for (const int64_t together : {1, 2, 3, 4, 9}) {
      const PairRing ring(blocks);
      std::map<int64_t, int64_t> strip_of_column;
      const std::vector<Strip> strips = cut_into_strips(ring, {0, blocks}, together);
      for (int64_t s = 0; s < int64_t(strips.size()); ++s)
        for (int64_t turn = strips[size_t(s)].turns.begin; turn < strips[size_t(s)].turns.end; ++turn) {
          const auto [earlier, is_new] = strip_of_column.try_emplace(ring.column_of(turn), s);
          EXPECT_TRUE(is_new || s - earlier->second >= 2) << blocks << " blocks, " << together << " together";
        }
    }
}

TEST(StripQueue, KeepsTheOrderOfRowsAndOfColumnsWithAnyNumberOfThreads) {
  for (const int threads : {1, 2, 7})
    for (const int64_t blocks : {1, 2, 5, 33})
      for (const int64_t together : {1, 3, 4}) {
        const PairRing ring(blocks);
        const Range own{0, blocks};
        const std::vector<Strip> strips = cut_into_strips(ring, own, together);
        std::vector<std::vector<int64_t>> of_row(static_cast<size_t>(blocks)), of_column(static_cast<size_t>(blocks));
        std::vector<std::vector<int64_t>> prepared(2);
        const auto each = [&](const Strip& strip, int64_t row, const auto& use) {
          for (int64_t turn = strip.turns.begin; turn < strip.turns.end; ++turn)
            if (turn >= row && turn - row <= ring.reach_of_row(row)) use(turn);
        };
        std::mutex mutex;
        const auto prepare = [&](int64_t slot, const Strip& strip, int64_t turn) {
          const std::lock_guard lock(mutex);
          auto& turns = prepared[size_t(slot)];
          if (!turns.empty() && turns.front() < strip.turns.begin) turns.clear();
          turns.push_back(turn);
          std::sort(turns.begin(), turns.end());
        };
        const auto compute = [&](int64_t slot, const Strip& strip, int64_t row) {
          {
            const std::lock_guard lock(mutex);
            EXPECT_EQ(int64_t(prepared[size_t(slot)].size()), strip.turns.size());
            EXPECT_EQ(prepared[size_t(slot)].front(), strip.turns.begin) << "not overwritten while in use";
          }
          each(strip, row, [&](int64_t turn) { of_row[size_t(row)].push_back(turn - row); });  // nobody else's
        };
        const auto apply = [&](int64_t, const Strip& strip, int64_t row) {
          each(strip, row, [&](int64_t turn) { of_column[size_t(ring.column_of(turn))].push_back(turn - row); });
        };
        StripQueue queue(strips, own, prepare, compute, apply);
        queue.run(threads);
        for (int64_t b = 0; b < blocks; ++b) {
          for (const auto* seen : {&of_row[size_t(b)], &of_column[size_t(b)]})
            for (size_t i = 0; i < seen->size(); ++i) EXPECT_EQ((*seen)[i], int64_t(i));
          EXPECT_EQ(int64_t(of_row[size_t(b)].size()), ring.reach_of_row(b) + 1);
          EXPECT_EQ(int64_t(of_column[size_t(b)].size()), ring.reach_of_column(b) + 1);
        }
      }
}

TEST(StripQueue, AnExceptionEndsItAndNobodyWaitsForEver) {
  for (const int threads : {1, 2, 7})
    for (const int where : {0, 1, 2}) {
      std::atomic<int> calls{0};
      const auto maybe = [&](int place) {
        if (place == where && ++calls > 5) throw std::runtime_error("no");
      };
      const auto prepare = [&](int64_t, const Strip&, int64_t) { maybe(0); };
      const auto compute = [&](int64_t, const Strip&, int64_t) { maybe(1); };
      const auto apply = [&](int64_t, const Strip&, int64_t) { maybe(2); };
      const std::vector<Strip> strips = cut_into_strips(PairRing(20), {0, 20}, 2);
      StripQueue queue(strips, {0, 20}, prepare, compute, apply);
      EXPECT_THROW(queue.run(threads), std::runtime_error);
    }
}

}  // namespace
}  // namespace mbsc
