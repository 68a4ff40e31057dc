// SPDX-License-Identifier: Apache-2.0
// The order in which a symmetric pass visits the tiles (I, J), I <= J, such that any number of threads gives the same
// bits. What matters for those is the order in which each block receives its contributions; it depends on the number
// of blocks and of those in a group alone.
// Blocks form groups of g. Groups meet in rounds in which each appears at most once: round 0 is each with itself, the
// others a round-robin tournament by the circle method. Two groups meet in g turns: in turn s block i of the first
// meets block i + s (mod g) of the second. A group within itself: its diagonal, then a tournament of its blocks.
// A thread may take the whole meeting of two groups, whose 2g blocks it packs once for g^2 tiles, or, where threads are
// many, a single tile: each block sees the same order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "mbsc/base/row_blocks.h"

namespace mbsc {

constexpr int64_t most_blocks_in_group = 4;

/// Packing two blocks of b points for one tile costs about 60 / b of its evaluation, in groups of g 60 / (b g). What a
/// thread has packed, 2g blocks, shall be megabytes.
inline int64_t blocks_in_group(const RowBlocks& blocks, int64_t features, int64_t bytes_of_value) {
  const int64_t bytes = blocks.block_rows() * features * bytes_of_value;
  return bytes <= int64_t{2} << 20 ? most_blocks_in_group : bytes <= int64_t{16} << 20 ? 2 : 1;
}

class PairSchedule {
 public:
  using Pair = std::pair<int64_t, int64_t>;

  /// `group` is one or even.
  PairSchedule(int64_t blocks, int64_t group) : blocks_(blocks), group_(group) {}

  int64_t blocks() const { return blocks_; }
  int64_t group() const { return group_; }
  int64_t groups() const { return (blocks_ + group_ - 1) / group_; }
  int64_t tiles() const { return blocks_ * (blocks_ + 1) / 2; }
  int64_t rounds() const { return rounds_of(groups()); }
  /// Turns of a meeting.
  int64_t turns() const { return group_; }

  /// The groups that meet in a round, first <= second in each.
  std::vector<Pair> round(int64_t r) const { return tournament(groups(), r); }

  /// The tiles of one turn of a meeting: no block twice.
  std::vector<Pair> turn(Pair groups, int64_t s) const {
    const int64_t first = groups.first * group_, second = groups.second * group_;
    std::vector<Pair> pairs;
    if (first == second) {
      for (const auto& [a, b] : tournament(group_, s)) add(pairs, first + a, first + b);
    } else {
      for (int64_t i = 0; i < group_; ++i) add(pairs, first + i, second + (i + s) % group_);
    }
    return pairs;
  }

 private:
  static int64_t rounds_of(int64_t players) { return players > 1 ? players + players % 2 : 1; }

  /// Everyone with himself, then everyone with everyone.
  static std::vector<Pair> tournament(int64_t players, int64_t r) {
    std::vector<Pair> pairs;
    if (r == 0) {
      for (int64_t b = 0; b < players; ++b) pairs.emplace_back(b, b);
      return pairs;
    }
    const int64_t turn = r - 1, even = players + players % 2, cycle = even - 1;
    const auto meet = [&](int64_t a, int64_t b) {
      if (a < players && b < players) pairs.emplace_back(std::min(a, b), std::max(a, b));
    };
    meet(cycle, turn);
    for (int64_t i = 1; i < even / 2; ++i) meet((turn + i) % cycle, (turn - i + cycle) % cycle);
    return pairs;
  }

  void add(std::vector<Pair>& pairs, int64_t a, int64_t b) const {
    if (a < blocks_ && b < blocks_) pairs.emplace_back(a, b);
  }

  int64_t blocks_, group_;
};

/// One after the other, what a thread may take: tiles in the order in which their blocks see them.
class PairUnits {
 public:
  using Pair = PairSchedule::Pair;
  struct Unit {
    int64_t index = 0;  ///< of the first tile among all; it does not depend on `whole`, and the others follow
    std::vector<Pair> tiles;
  };

  /// `whole`: all tiles of a meeting are one unit.
  PairUnits(const PairSchedule& schedule, bool whole) : schedule_(schedule), whole_(whole) {}

  /// False at the end.
  bool next(Unit& unit) {
    while (waiting_ == ready_.size()) {
      if (round_ == schedule_.rounds()) return false;
      fill(round_++);
    }
    unit = std::move(ready_[waiting_++]);
    return true;
  }

 private:
  void fill(int64_t round) {
    ready_.clear();
    waiting_ = 0;
    std::vector<std::vector<Unit>> by_turn(size_t(schedule_.turns()));
    for (const Pair& groups : schedule_.round(round)) {
      Unit meeting{index_, {}};
      for (int64_t s = 0; s < schedule_.turns(); ++s)
        for (const Pair& tile : schedule_.turn(groups, s)) {
          if (whole_)
            meeting.tiles.push_back(tile);
          else
            by_turn[size_t(s)].push_back({index_, {tile}});
          ++index_;
        }
      if (!meeting.tiles.empty()) ready_.push_back(std::move(meeting));
    }
    for (auto& units : by_turn) std::move(units.begin(), units.end(), std::back_inserter(ready_));
  }

  const PairSchedule schedule_;
  const bool whole_;
  std::vector<Unit> ready_;
  size_t waiting_ = 0;
  int64_t round_ = 0, index_ = 0;
};

}  // namespace mbsc
