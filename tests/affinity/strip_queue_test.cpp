// SPDX-License-Identifier: Apache-2.0
#include "mbsc/affinity/pass/strip_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>
#include <stdexcept>
#include <vector>

namespace mbsc {
namespace {

/// Records the order in which a queue processes the tiles of a ring.
class Recorder {
 public:
  Recorder(const PairRing& ring, int64_t turns_together)
      : ring_(ring),
        strips_(cut_into_strips(ring, {0, ring.blocks()}, turns_together)),
        of_row_(size_t(ring.blocks())),
        of_column_(size_t(ring.blocks())),
        prepared_(2) {}

  void run(int threads) {
    const StripSteps steps{
        [&](int64_t slot, const Strip& strip, int64_t turn) { prepare(slot, strip, turn); },
        [&](int64_t slot, const Strip& strip, int64_t row) { compute(slot, strip, row); },
        [&](int64_t, const Strip& strip, int64_t row) { apply(strip, row); },
    };
    StripQueue(strips_, {0, ring_.blocks()}, steps).run(threads);
  }

  /// Checks that both sums of each block (pair_ring.h) were added by rising distance, without a gap.
  void expect_order_of_the_ring() const {
    for (int64_t b = 0; b < ring_.blocks(); ++b) {
      for (const auto* distances : {&of_row_[size_t(b)], &of_column_[size_t(b)]})
        for (size_t i = 0; i < distances->size(); ++i) EXPECT_EQ((*distances)[i], int64_t(i));
      EXPECT_EQ(int64_t(of_row_[size_t(b)].size()), ring_.reach_of_row(b) + 1);
      EXPECT_EQ(int64_t(of_column_[size_t(b)].size()), ring_.reach_of_column(b) + 1);
    }
  }

 private:
  template <class Use>
  void for_each_turn(const Strip& strip, int64_t row, const Use& use) const {
    for (int64_t turn = strip.turns.begin; turn < strip.turns.end; ++turn)
      if (turn >= row && turn - row <= ring_.reach_of_row(row)) use(turn);
  }
  void prepare(int64_t slot, const Strip& strip, int64_t turn) {
    const std::lock_guard lock(mutex_);
    auto& turns = prepared_[size_t(slot)];
    if (!turns.empty() && turns.front() < strip.turns.begin) turns.clear();
    turns.push_back(turn);
    std::sort(turns.begin(), turns.end());
  }
  void compute(int64_t slot, const Strip& strip, int64_t row) {
    {
      const std::lock_guard lock(mutex_);
      EXPECT_EQ(int64_t(prepared_[size_t(slot)].size()), strip.turns.size());
      EXPECT_EQ(prepared_[size_t(slot)].front(), strip.turns.begin) << "a slot is not overwritten while it is in use";
    }
    // No lock: no other thread may compute the same row.
    for_each_turn(strip, row, [&](int64_t turn) { of_row_[size_t(row)].push_back(turn - row); });
  }
  void apply(const Strip& strip, int64_t row) {
    for_each_turn(strip, row, [&](int64_t turn) { of_column_[size_t(ring_.column_of(turn))].push_back(turn - row); });
  }

  const PairRing ring_;
  const std::vector<Strip> strips_;
  std::vector<std::vector<int64_t>> of_row_, of_column_;  ///< by block: distances in the order of processing
  std::vector<std::vector<int64_t>> prepared_;            ///< by slot: turns
  std::mutex mutex_;
};

TEST(StripQueue, ProcessesRowsAndColumnsInTheOrderOfTheRingForAnyNumberOfThreads) {
  for (const int threads : {1, 2, 7})
    for (const int64_t blocks : {1, 2, 5, 33})
      for (const int64_t turns_together : {1, 3, 4}) {
        Recorder recorder(PairRing(blocks), turns_together);
        recorder.run(threads);
        recorder.expect_order_of_the_ring();
      }
}

TEST(StripQueue, AnExceptionStopsAllThreadsAndIsRethrown) {
  for (const int threads : {1, 2, 7})
    for (const int failing_step : {0, 1, 2}) {
      std::atomic<int> calls{0};
      const auto maybe_throw = [&](int step) {
        if (step == failing_step && ++calls > 5) throw std::runtime_error("no");
      };
      const StripSteps steps{
          [&](int64_t, const Strip&, int64_t) { maybe_throw(0); },
          [&](int64_t, const Strip&, int64_t) { maybe_throw(1); },
          [&](int64_t, const Strip&, int64_t) { maybe_throw(2); },
      };
      const std::vector<Strip> strips = cut_into_strips(PairRing(20), {0, 20}, 2);
      StripQueue queue(strips, {0, 20}, steps);
      EXPECT_THROW(queue.run(threads), std::runtime_error);
    }
}

}  // namespace
}  // namespace mbsc
