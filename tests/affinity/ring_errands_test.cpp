// SPDX-License-Identifier: Apache-2.0
#include "mbsc/affinity/ring_errands.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace mbsc {
namespace {

/// What all ranks plan for n rows.
struct Plans {
  Plans(int64_t n, int ranks, int64_t together) : blocks(n), ring(blocks.count()) {
    for (int rank = 0; rank < ranks; ++rank) all.emplace_back(ring, blocks, rank, ranks, together);
  }
  bool has_rows(int rank) const { return all[size_t(rank)].blocks_of(rank).size() > 0; }
  const RowBlocks blocks;
  const PairRing ring;
  std::vector<RingErrands> all;
};

template <class Check>
void for_every_plan(const Check& check) {
  for (const int64_t n : {65, 130, 300, 700, 1000, 1472, 2048})
    for (const int ranks : {2, 3, 4, 7, 40})
      for (const int64_t together : {1, 2, 4}) {
        SCOPED_TRACE(::testing::Message() << n << " rows, " << ranks << " ranks, " << together << " together");
        check(Plans(n, ranks, together), ranks);
      }
}

TEST(RingErrands, EveryColumnOfOthersIsSentByItsHomeForTheStripThatMeetsIt) {
  for_every_plan([](const Plans& plans, int ranks) {
    std::multiset<std::tuple<int, int64_t, int64_t>> sent, needed;  // rank, strip, block
    for (int rank = 0; rank < ranks; ++rank) {
      const RingErrands& errands = plans.all[size_t(rank)];
      if (!plans.has_rows(rank)) continue;
      const Range own = errands.blocks_of(rank);
      for (int64_t strip = 0; strip < errands.strips(); ++strip) {
        for (const auto& errand : errands.outgoing(strip)) {
          EXPECT_TRUE(own.contains(errand.block));
          sent.insert({errand.rank, strip, errand.block});
        }
        const Range turns = errands.turns_of_strip(own, strip);
        for (int64_t turn = turns.begin; turn < turns.end; ++turn)
          if (errands.is_foreign(own, turn)) needed.insert({rank, strip, plans.ring.column_of(turn)});
      }
      if (!errands.is_alone()) {
        EXPECT_EQ(errands.strips(), plans.all[size_t(errands.next())].strips());
      }
    }
    EXPECT_EQ(sent, needed);
  });
}

TEST(RingErrands, SumsAreReadyAStripBeforeTheyAreNeededAndComeHomeOnce) {
  for_every_plan([](const Plans& plans, int ranks) {
    std::map<int64_t, int> returns, expected;
    for (int rank = 0; rank < ranks; ++rank) {
      const RingErrands& errands = plans.all[size_t(rank)];
      if (!plans.has_rows(rank) || errands.is_alone()) continue;
      const Range own = errands.blocks_of(rank), below = errands.blocks_of(errands.previous());
      for (int64_t turn = below.end; turn < plans.ring.turns(below).end; ++turn) {
        if (!errands.is_foreign(below, turn)) continue;
        // The rank above has met it, in a strip that is over when the one below begins with its own.
        const int64_t here = errands.turn_of(own, plans.ring.column_of(turn));
        EXPECT_GT(plans.ring.rows_of_turn(own, here).size(), 0);
        EXPECT_LT((here - own.begin) / errands.together(), (turn - below.begin) / errands.together());
      }
      for (int64_t strip = 0; strip < errands.strips(); ++strip)
        for (const auto& errand : errands.returning(strip)) ++returns[errand.block];
      // A column that never leaves has met all its rows at home.
      for (int64_t block = own.begin; block < own.end; ++block)
        if (block - plans.ring.reach_of_column(block) < own.begin) expected[block] = 1;
    }
    EXPECT_EQ(returns, expected);
  });
}

}  // namespace
}  // namespace mbsc
