// SPDX-License-Identifier: Apache-2.0
// The order of a symmetric pass: every pair of row blocks meets once, and each block receives its contributions in an
// order that depends on the number N of blocks alone, whoever computes them: the same bits for any number of threads
// and ranks.
//
// On a ring of N blocks, row block i meets column blocks i, i + 1, ..., i + N/2 (mod N). A block has two sums, which are
// added in the end: over the columns it meets as a row, by rising distance, and over the rows it meets as a column, by
// rising distance as well. So a rank that holds rows [f, e) may take the columns one after the other,
//     turn h = f, f + 1, ..., e - 1 + N/2,   column block h mod N,   rows h, h - 1, ... as far as it has them,
// and hand the sum of a column block on to the rank of rows [.., f), which goes on where this one ended, with points that
// come from the block's home. Sums travel once around half of the ring, a block at a time; rows stay.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "mbsc/base/parallel.h"
#include "mbsc/base/row_blocks.h"

namespace mbsc {

class PairRing {
 public:
  explicit PairRing(int64_t blocks) : blocks_(blocks) {}

  int64_t blocks() const { return blocks_; }
  int64_t tiles() const { return blocks_ * (blocks_ + 1) / 2; }
  int64_t column_of(int64_t turn) const { return turn % blocks_; }
  /// The largest distance at which row block i meets columns. With an even number the two blocks that face each other
  /// meet once: the first of them is the row.
  int64_t reach_of_row(int64_t i) const { return blocks_ / 2 - (blocks_ % 2 == 0 && i >= blocks_ / 2 ? 1 : 0); }
  /// The largest distance at which a column block is met.
  int64_t reach_of_column(int64_t j) const { return blocks_ / 2 - (blocks_ % 2 == 0 && j < blocks_ / 2 ? 1 : 0); }
  /// Number of a tile among all; those of small distance come first.
  int64_t index(int64_t row, int64_t distance) const { return distance * blocks_ + row; }

  /// The rows among `own` that the column of this turn meets.
  Range rows_of_turn(Range own, int64_t turn) const {
    const int64_t first = std::max(own.begin, turn - reach_of_column(column_of(turn)));
    return {std::min(first, own.end), std::max(std::min(first, own.end), std::min(own.end, turn + 1))};
  }
  /// Turns of a rank with these rows: [begin, end).
  Range turns(Range own) const {
    if (own.size() == 0) return {own.begin, own.begin};
    int64_t end = own.begin;
    for (int64_t i = std::max(own.begin, own.end - 2); i < own.end; ++i) end = std::max(end, i + reach_of_row(i) + 1);
    return {own.begin, end};
  }

 private:
  int64_t blocks_;
};

/// Some turns, taken together: whoever packs a row block uses it for all of them.
struct Strip {
  Range turns;
  Range rows;  ///< those that any of the turns meets; visited from the last to the first
};

/// A column may come a second time, N turns after the first. Strips of at most half the ring keep a whole strip between
/// the two, so that StripQueue, which has two strips under way, adds to a column from one of them at a time.
inline std::vector<Strip> cut_into_strips(const PairRing& ring, Range own, int64_t turns_together) {
  std::vector<Strip> strips;
  const Range all = ring.turns(own);
  turns_together = std::clamp<int64_t>(ring.blocks() / 2, 1, turns_together);
  for (int64_t first = all.begin; first < all.end; first += turns_together) {
    Strip strip{{first, std::min(all.end, first + turns_together)}, {own.end, own.begin}};
    for (int64_t turn = strip.turns.begin; turn < strip.turns.end; ++turn) {
      const Range rows = ring.rows_of_turn(own, turn);
      if (rows.size() == 0) continue;
      strip.rows = {std::min(strip.rows.begin, rows.begin), std::max(strip.rows.end, rows.end)};
    }
    strips.push_back(strip);
  }
  return strips;
}

/// Works through strips with threads that wait for each other as little as the order allows:
///     prepare(slot, strip, turn)   once for each turn, before its rows; there are two slots, used by turns
///     compute(slot, strip, row)    any number at a time, but for one row in the order of the strips
///     apply(slot, strip, row)      after compute, on the same thread; for one strip one at a time, rows from the last to
///                                  the first
/// An exception ends all and is rethrown.
template <class Prepare, class Compute, class Apply>
class StripQueue {
 public:
  StripQueue(std::span<const Strip> strips, Range own, const Prepare& prepare, const Compute& compute,
             const Apply& apply)
      : strips_(strips), own_(own), prepare_(prepare), compute_(compute), apply_(apply) {
    next_strip_of_row_.resize(size_t(own.size()));
    states_.resize(strips.size());
    for (size_t s = strips.size(); s-- > 0;)
      for (int64_t row = strips[s].rows.begin; row < strips[s].rows.end; ++row)
        next_strip_of_row_[size_t(row - own.begin)] = int64_t(s);
    int64_t items = 0;
    for (const Strip& strip : strips) {
      first_item_.push_back(items);
      items += strip.turns.size() + strip.rows.size();
    }
    items_ = items;
  }

  void run(int threads) {
    parallel_for(threads, threads, [&](int64_t) {
      try {
        for (int64_t item; (item = next_++) < items_;) work(item);
      } catch (const Ended&) {
      } catch (...) {
        const std::lock_guard lock(mutex_);
        failed_ = true;
        changed_.notify_all();
        throw;
      }
    });
  }

 private:
  struct Ended {};
  struct State {
    int64_t prepared = 0;  ///< turns
    int64_t applied = 0;   ///< rows
  };

  /// Items are taken in order, so that whatever one waits for is done, or somebody is at it.
  void work(int64_t item) {
    const auto s = size_t(std::upper_bound(first_item_.begin(), first_item_.end(), item) - first_item_.begin() - 1);
    const Strip& strip = strips_[s];
    const int64_t number = item - first_item_[s], slot = int64_t(s % 2);
    State& state = states_[s];
    if (number < strip.turns.size()) {
      if (s >= 2) wait([&] { return states_[s - 2].applied == strips_[s - 2].rows.size(); });
      prepare_(slot, strip, strip.turns.begin + number);
      change([&] { ++state.prepared; });
      return;
    }
    const int64_t order = number - strip.turns.size(), row = strip.rows.end - 1 - order;
    int64_t& next_strip = next_strip_of_row_[size_t(row - own_.begin)];
    wait([&] { return state.prepared == strip.turns.size() && next_strip == int64_t(s); });
    compute_(slot, strip, row);
    wait([&] { return state.applied == order; });
    apply_(slot, strip, row);
    change([&] {
      ++state.applied;
      ++next_strip;
    });
  }

  template <class Ready>
  void wait(const Ready& ready) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return failed_ || ready(); });
    if (failed_) throw Ended();
  }
  template <class Change>
  void change(const Change& how) {
    const std::lock_guard lock(mutex_);
    how();
    changed_.notify_all();
  }

  const std::span<const Strip> strips_;
  const Range own_;
  const Prepare& prepare_;
  const Compute& compute_;
  const Apply& apply_;
  std::vector<int64_t> first_item_, next_strip_of_row_;
  std::vector<State> states_;
  int64_t items_ = 0;
  std::atomic<int64_t> next_{0};
  std::mutex mutex_;
  std::condition_variable changed_;
  bool failed_ = false;
};

}  // namespace mbsc
