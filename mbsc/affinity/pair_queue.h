// SPDX-License-Identifier: Apache-2.0
// Threads work through a PairSchedule without waiting for each other at the end of every round: a tile begins as soon as
// the tiles before it that share a block with it are done.
#pragma once

#include <atomic>
#include <mutex>
#include <vector>

#include "mbsc/affinity/pair_schedule.h"
#include "mbsc/base/parallel.h"

namespace mbsc {

class PairQueue {
 public:
  struct Ticket {
    PairUnits::Unit unit;
    struct Use {
      int64_t block;
      int32_t before, tiles;  ///< tiles of this block before the unit, and in it
    };
    std::vector<Use> uses;
  };

  PairQueue(const PairSchedule& schedule, bool whole)
      : units_(schedule, whole), issued_(size_t(schedule.blocks())), done_(size_t(schedule.blocks())) {}

  /// The next unit; whoever takes it must go on to end(). False where there is none.
  bool take(Ticket& ticket) {
    const std::lock_guard lock(mutex_);
    if (!units_.next(ticket.unit)) return false;
    ticket.uses.clear();
    for (const auto& [first, second] : ticket.unit.tiles) {
      use(ticket, first);
      if (second != first) use(ticket, second);
    }
    for (const Ticket::Use& use : ticket.uses) issued_[size_t(use.block)] += use.tiles;
    return true;
  }

  /// Returns when the blocks of the unit are its own. Units that were taken before it do not wait for it.
  void begin(const Ticket& ticket) {
    for (const Ticket::Use& use : ticket.uses) {
      std::atomic<int32_t>& done = done_[size_t(use.block)];
      for (int32_t seen; (seen = done.load(std::memory_order_acquire)) != use.before;) done.wait(seen);
    }
  }

  void end(const Ticket& ticket) {
    for (const Ticket::Use& use : ticket.uses) {
      // Sequentially consistent: notify_all() looks for waiters, and that look must not come first.
      done_[size_t(use.block)].store(use.before + use.tiles);
      done_[size_t(use.block)].notify_all();
    }
  }

 private:
  void use(Ticket& ticket, int64_t block) const {
    for (Ticket::Use& known : ticket.uses)
      if (known.block == block) {
        ++known.tiles;
        return;
      }
    ticket.uses.push_back({block, issued_[size_t(block)], 1});
  }

  std::mutex mutex_;
  PairUnits units_;
  std::vector<int32_t> issued_;
  std::vector<std::atomic<int32_t>> done_;
};

/// Calls body(unit) for every unit; those that run at the same time share no block. Whole meetings of groups where they
/// keep all threads busy, single tiles otherwise. Then, on the same thread and with the blocks free again, after(unit).
template <class Body, class After>
void for_each_unit(const PairSchedule& schedule, int threads, const Body& body, const After& after) {
  PairQueue queue(schedule, schedule.groups() / 2 >= 2 * threads || threads == 1);
  std::atomic<bool> failed{false};
  parallel_for(threads, threads, [&](int64_t) {
    PairQueue::Ticket ticket;
    while (!failed.load(std::memory_order_relaxed) && queue.take(ticket)) {
      queue.begin(ticket);
      bool is_mine = true;
      try {
        body(ticket.unit);
        queue.end(ticket);
        is_mine = false;
        after(ticket.unit);
      } catch (...) {
        failed = true;
        if (is_mine) queue.end(ticket);  // others may be waiting
        throw;
      }
    }
  });
}

}  // namespace mbsc
