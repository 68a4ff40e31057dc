// SPDX-License-Identifier: Apache-2.0
#include "mbsc/affinity/pair_schedule.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace mbsc {
namespace {

TEST(PairSchedule, VisitsEveryPairExactlyOnce) {
  for (int64_t blocks = 1; blocks <= 40; ++blocks) {
    const PairSchedule schedule(blocks);
    std::map<PairSchedule::Pair, int> visits;
    for (int64_t r = 0; r < schedule.rounds(); ++r)
      for (const auto& pair : schedule.round(r)) {
        EXPECT_LE(0, pair.first);
        EXPECT_LE(pair.first, pair.second);
        EXPECT_LT(pair.second, blocks);
        ++visits[pair];
      }
    EXPECT_EQ(int64_t(visits.size()), blocks * (blocks + 1) / 2) << blocks << " blocks";
    for (const auto& [pair, count] : visits) EXPECT_EQ(count, 1) << pair.first << ", " << pair.second;
  }
}

TEST(PairSchedule, UsesABlockAtMostOnceARound) {
  for (int64_t blocks = 1; blocks <= 40; ++blocks) {
    const PairSchedule schedule(blocks);
    for (int64_t r = 0; r < schedule.rounds(); ++r) {
      std::set<int64_t> used;
      for (const auto& [first, second] : schedule.round(r)) {
        EXPECT_TRUE(used.insert(first).second) << blocks << " blocks, round " << r;
        if (second != first) {
          EXPECT_TRUE(used.insert(second).second) << blocks << " blocks, round " << r;
        }
      }
    }
  }
}

TEST(PairSchedule, KeepsAllBlocksButOneBusy) {
  // A tournament of an even number of players has no idle one; of an odd number, one a round.
  for (int64_t blocks = 2; blocks <= 40; ++blocks) {
    const PairSchedule schedule(blocks);
    EXPECT_EQ(schedule.rounds(), blocks + blocks % 2);
    for (int64_t r = 1; r < schedule.rounds(); ++r) EXPECT_EQ(int64_t(schedule.round(r).size()), blocks / 2);
  }
}

}  // namespace
}  // namespace mbsc
