// SPDX-License-Identifier: Apache-2.0
// StripQueue: how threads share the strips of a pass (pair_ring.h). Threads compute tiles in any order, but they add to
// the sums of the columns in the order of the ring. A thread waits if this order requires it, if its strip is not
// prepared yet, or if its strip s needs a slot that strip s - 2 still uses (StripSteps).
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <vector>

#include "mbsc/affinity/pass/pair_ring.h"

namespace mbsc {

/// What a pass does for each strip. There are two slots of working memory; consecutive strips alternate between them.
/// `row` is the number of a row block; `turn` is a turn of the ring (pair_ring.h).
struct StripSteps {
  /// Called once for each turn of a strip, before any row of the strip.
  std::function<void(int64_t slot, const Strip& strip, int64_t turn)> prepare;
  /// Called once for each row of a strip. Different rows may be computed at the same time. The calls for one row are in
  /// the order of the strips.
  std::function<void(int64_t slot, const Strip& strip, int64_t row)> compute;
  /// Called after `compute` of the same row, by the same thread. The calls for one strip do not overlap; they go from
  /// the last row to the first.
  std::function<void(int64_t slot, const Strip& strip, int64_t row)> apply;
};

class StripQueue {
 public:
  /// `own` are the row blocks of this rank. The strips and the steps must outlive this object.
  StripQueue(std::span<const Strip> strips, Range own, const StripSteps& steps);

  /// Processes all strips. The first exception stops all threads and is rethrown.
  void run(int threads);

 private:
  struct Canceled {};
  struct Progress {
    int64_t prepared = 0;  ///< the number of turns of the strip that are prepared
    int64_t applied = 0;   ///< the number of rows of the strip that are applied
  };

  void process(int64_t item);
  void prepare(size_t strip, int64_t turn);
  void process_row(size_t strip, int64_t order);
  void wait(const std::function<bool()>& ready);
  void update(const std::function<void()>& change);

  const std::span<const Strip> strips_;
  const Range own_;
  const StripSteps& steps_;
  std::vector<int64_t> first_item_;         ///< by strip; an item is one turn or one row of a strip
  std::vector<int64_t> next_strip_of_row_;  ///< by row: the next strip in which the row is computed
  std::vector<Progress> progress_;          ///< by strip
  int64_t items_ = 0;
  std::atomic<int64_t> next_item_{0};
  std::mutex mutex_;
  std::condition_variable changed_;
  bool failed_ = false;
};

}  // namespace mbsc
