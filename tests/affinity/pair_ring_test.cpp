// SPDX-License-Identifier: Apache-2.0
#include "mbsc/affinity/pass/pair_ring.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace mbsc {
namespace {

/// The row block and the distance of a tile (pair_ring.h).
using Tile = std::pair<int64_t, int64_t>;

/// The tiles of a rank, in the order of its turns.
std::vector<Tile> tiles_of(const PairRing& ring, Range own) {
  std::vector<Tile> tiles;
  const Range turns = ring.turns(own);
  for (int64_t turn = turns.begin; turn < turns.end; ++turn) {
    const Range rows = ring.rows_of_turn(own, turn);
    for (int64_t row = rows.end - 1; row >= rows.begin; --row) tiles.emplace_back(row, turn - row);
  }
  return tiles;
}

TEST(PairRing, EveryPairMeetsOnceAndTheNumbersOfTilesHaveNoGaps) {
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

TEST(PairRing, RanksShareTheTilesAndEveryBlockHasTheSameOrderAsOnOneRank) {
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
          // A column of another rank has already met the row blocks between the last one of this rank and itself.
          const int64_t turn = row + distance;
          const auto [known, is_new] = last_of_column.try_emplace(turn, distance);
          if (is_new) {
            EXPECT_EQ(distance, std::max<int64_t>(0, turn - (own.end - 1)));
          } else {
            EXPECT_EQ(distance, ++known->second) << "a column meets its rows by rising distance";
          }
        }
        // A column leaves the rank only after it has met all rows of the rank that are within its reach.
        for (const auto& [turn, distance] : last_of_column)
          EXPECT_EQ(distance, std::min(turn - own.begin, ring.reach_of_column(ring.column_of(turn))));
      }
      EXPECT_EQ(int64_t(all.size()), ring.tiles()) << blocks << " blocks, " << ranks << " ranks";
    }
}

TEST(PairRing, TheWorkOfARankIsProportionalToItsRows) {
  const PairRing ring(41);
  for (const int64_t begin : {0, 10, 31}) EXPECT_EQ(tiles_of(ring, {begin, begin + 10}).size(), 10u * 21);
}

TEST(PairRing, AtLeastOneStripLiesBetweenTwoOccurrencesOfAColumn) {
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

}  // namespace
}  // namespace mbsc
