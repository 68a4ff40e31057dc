// SPDX-License-Identifier: Apache-2.0
#include "mbsc/affinity/pass/exchange_schedule.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace mbsc {
namespace {

/// The schedules of all ranks for n rows, with at most `together` turns per strip.
struct Schedules {
  Schedules(int64_t n, int ranks, int64_t together) : blocks(n), ring(blocks.count()) {
    for (int rank = 0; rank < ranks; ++rank) all.emplace_back(ring, blocks, rank, ranks, together);
  }
  bool has_rows(int rank) const { return all[size_t(rank)].blocks_of(rank).size() > 0; }
  const RowBlocks blocks;
  const PairRing ring;
  std::vector<ExchangeSchedule> all;
};

template <class Check>
void for_every_case(const Check& check) {
  for (const int64_t n : {65, 130, 300, 700, 1000, 1472, 2048})
    for (const int ranks : {2, 3, 4, 7, 40})
      for (const int64_t together : {1, 2, 4}) {
        SCOPED_TRACE(::testing::Message() << n << " rows, " << ranks << " ranks, " << together << " together");
        check(Schedules(n, ranks, together), ranks);
      }
}

TEST(ExchangeSchedule, TheOwnerSendsAColumnForEachStripOfAnotherRankThatNeedsIt) {
  for_every_case([](const Schedules& schedules, int ranks) {
    std::multiset<std::tuple<int, int64_t, int64_t>> sent, needed;  // rank, strip, block
    for (int rank = 0; rank < ranks; ++rank) {
      const ExchangeSchedule& schedule = schedules.all[size_t(rank)];
      if (!schedules.has_rows(rank)) continue;
      const Range own = schedule.blocks_of(rank);
      for (int64_t strip = 0; strip < schedule.strips(); ++strip) {
        for (const auto& transfer : schedule.outgoing(strip)) {
          EXPECT_TRUE(own.contains(transfer.block));
          sent.insert({transfer.rank, strip, transfer.block});
        }
        const Range turns = schedule.turns_of_strip(own, strip);
        for (int64_t turn = turns.begin; turn < turns.end; ++turn)
          if (schedule.is_foreign(own, turn)) needed.insert({rank, strip, schedules.ring.column_of(turn)});
      }
      if (!schedule.is_alone()) {
        EXPECT_EQ(schedule.strips(), schedules.all[size_t(schedule.next())].strips());
      }
    }
    EXPECT_EQ(sent, needed);
  });
}

TEST(ExchangeSchedule, SumsAreReadyOneStripBeforeTheyAreNeededAndAreReturnedOnce) {
  for_every_case([](const Schedules& schedules, int ranks) {
    std::map<int64_t, int> returns, expected;
    for (int rank = 0; rank < ranks; ++rank) {
      const ExchangeSchedule& schedule = schedules.all[size_t(rank)];
      if (!schedules.has_rows(rank) || schedule.is_alone()) continue;
      const Range own = schedule.blocks_of(rank), below = schedule.blocks_of(schedule.previous());
      for (int64_t turn = below.end; turn < schedules.ring.turns(below).end; ++turn) {
        if (!schedule.is_foreign(below, turn)) continue;
        // This rank has met the column in an earlier strip than the previous rank.
        const int64_t here = schedule.turn_of(own, schedules.ring.column_of(turn));
        EXPECT_GT(schedules.ring.rows_of_turn(own, here).size(), 0);
        EXPECT_LT((here - own.begin) / schedule.together(), (turn - below.begin) / schedule.together());
      }
      for (int64_t strip = 0; strip < schedule.strips(); ++strip)
        for (const auto& transfer : schedule.returning(strip)) ++returns[transfer.block];
      // The sums of a column block are returned to its owner if the block meets rows of other ranks.
      for (int64_t block = own.begin; block < own.end; ++block)
        if (block - schedules.ring.reach_of_column(block) < own.begin) expected[block] = 1;
    }
    EXPECT_EQ(returns, expected);
  });
}

}  // namespace
}  // namespace mbsc
