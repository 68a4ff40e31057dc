// SPDX-License-Identifier: Apache-2.0
#include "mbsc/affinity/pair_schedule.h"

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <set>
#include <stdexcept>

#include "mbsc/affinity/pair_queue.h"

namespace mbsc {
namespace {

using Pair = PairSchedule::Pair;

std::vector<PairUnits::Unit> units_of(const PairSchedule& schedule, bool whole) {
  PairUnits units(schedule, whole);
  std::vector<PairUnits::Unit> found;
  for (PairUnits::Unit unit; units.next(unit);) found.push_back(unit);
  return found;
}

/// The tiles of every block in the order in which it sees them.
std::map<int64_t, std::vector<Pair>> orders_of(const PairSchedule& schedule, bool whole) {
  std::map<int64_t, std::vector<Pair>> orders;
  for (const auto& unit : units_of(schedule, whole))
    for (const Pair& tile : unit.tiles) {
      orders[tile.first].push_back(tile);
      if (tile.second != tile.first) orders[tile.second].push_back(tile);
    }
  return orders;
}

TEST(PairSchedule, VisitsEveryPairExactlyOnce) {
  for (const int64_t group : {1, 2, 4})
    for (int64_t blocks = 1; blocks <= 40; ++blocks)
      for (const bool whole : {false, true}) {
        const PairSchedule schedule(blocks, group);
        std::map<Pair, int> visits;
        std::set<int64_t> indices;
        for (const auto& unit : units_of(schedule, whole))
          for (size_t i = 0; i < unit.tiles.size(); ++i) {
            const Pair& pair = unit.tiles[i];
            EXPECT_LE(0, pair.first);
            EXPECT_LE(pair.first, pair.second);
            EXPECT_LT(pair.second, blocks);
            ++visits[pair];
            indices.insert(unit.index + int64_t(i));
          }
        EXPECT_EQ(schedule.tiles(), blocks * (blocks + 1) / 2);
        EXPECT_EQ(int64_t(visits.size()), schedule.tiles()) << blocks << " blocks";
        EXPECT_EQ(int64_t(indices.size()), schedule.tiles());
        EXPECT_EQ(*indices.rbegin(), schedule.tiles() - 1);
        for (const auto& [pair, count] : visits) EXPECT_EQ(count, 1) << pair.first << ", " << pair.second;
      }
}

TEST(PairSchedule, EveryBlockSeesTheSameOrderAndIndicesHoweverTheWorkIsDivided) {
  for (const int64_t group : {1, 2, 4})
    for (int64_t blocks = 1; blocks <= 40; ++blocks) {
      const PairSchedule schedule(blocks, group);
      EXPECT_EQ(orders_of(schedule, true), orders_of(schedule, false)) << blocks << " blocks in groups of " << group;
      std::map<Pair, int64_t> index;
      for (const auto& unit : units_of(schedule, true))
        for (size_t i = 0; i < unit.tiles.size(); ++i) index[unit.tiles[i]] = unit.index + int64_t(i);
      for (const auto& unit : units_of(schedule, false)) EXPECT_EQ(unit.index, index[unit.tiles.front()]);
    }
}

TEST(PairSchedule, UsesAGroupAtMostOnceARoundAndABlockAtMostOnceATurn) {
  const auto unite = [](std::set<int64_t>& used, const Pair& pair) {
    EXPECT_TRUE(used.insert(pair.first).second);
    if (pair.second != pair.first) {
      EXPECT_TRUE(used.insert(pair.second).second);
    }
  };
  for (const int64_t group : {1, 2, 4})
    for (int64_t blocks = 1; blocks <= 40; ++blocks) {
      const PairSchedule schedule(blocks, group);
      for (int64_t r = 0; r < schedule.rounds(); ++r) {
        std::set<int64_t> groups;
        for (const Pair& meeting : schedule.round(r)) {
          unite(groups, meeting);
          for (int64_t s = 0; s < schedule.turns(); ++s) {
            std::set<int64_t> used;
            for (const Pair& tile : schedule.turn(meeting, s)) unite(used, tile);
          }
        }
      }
    }
}

TEST(PairSchedule, KeepsAllGroupsButOneBusy) {
  // A tournament of an even number of players has no idle one; of an odd number, one a round.
  for (int64_t blocks = 2; blocks <= 40; ++blocks) {
    const PairSchedule schedule(blocks, 1);
    EXPECT_EQ(schedule.rounds(), blocks + blocks % 2);
    for (int64_t r = 1; r < schedule.rounds(); ++r) EXPECT_EQ(int64_t(schedule.round(r).size()), blocks / 2);
  }
}

TEST(PairQueue, RunsTilesOfABlockOneAtATimeAndInOrder) {
  for (const int threads : {1, 2, 7})
    for (const int64_t blocks : {1, 5, 33}) {
      const PairSchedule schedule(blocks, 2);
      const auto expected = orders_of(schedule, true);
      std::vector<std::atomic<int>> busy(static_cast<size_t>(blocks));
      std::vector<std::vector<Pair>> seen(static_cast<size_t>(blocks));
      for_each_unit(schedule, threads, [&](const PairUnits::Unit& unit) {
        for (const Pair& tile : unit.tiles) {
          const std::set<int64_t> mine{tile.first, tile.second};
          for (const int64_t b : mine) EXPECT_EQ(busy[size_t(b)]++, 0);
          for (const int64_t b : mine) seen[size_t(b)].push_back(tile);
          for (const int64_t b : mine) --busy[size_t(b)];
        }
      }, [](const PairUnits::Unit&) {});
      for (int64_t b = 0; b < blocks; ++b) EXPECT_EQ(seen[size_t(b)], expected.at(b));
    }
}

TEST(PairQueue, AnExceptionEndsItAndNobodyWaitsForEver) {
  for (const int threads : {1, 2, 7}) {
    std::atomic<int> calls{0};
    EXPECT_THROW(for_each_unit(PairSchedule(20, 1), threads,
                               [&](const PairUnits::Unit&) {
                                 if (++calls > 5) throw std::runtime_error("no");
                               },
                               [](const PairUnits::Unit&) {}),
                 std::runtime_error);
  }
}

}  // namespace
}  // namespace mbsc
