// SPDX-License-Identifier: Apache-2.0
// The order in which a symmetric pass visits the tiles (I, J), I <= J: rounds in which every block appears at most
// once, so that the tiles of a round may run in any order on any thread, and each block receives its
// contributions round by round. It depends on the number of blocks alone.
// Round 0 is the diagonal; the others are a round-robin tournament by the circle method.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace mbsc {

class PairSchedule {
 public:
  using Pair = std::pair<int64_t, int64_t>;

  explicit PairSchedule(int64_t blocks) : blocks_(blocks), players_(blocks + blocks % 2) {}

  int64_t rounds() const { return players_ > 1 ? players_ : 1; }

  /// The tiles of one round, first <= second in each.
  std::vector<Pair> round(int64_t r) const {
    std::vector<Pair> pairs;
    if (r == 0) {
      for (int64_t b = 0; b < blocks_; ++b) pairs.emplace_back(b, b);
      return pairs;
    }
    const int64_t turn = r - 1, cycle = players_ - 1;
    add(pairs, cycle, turn);
    for (int64_t i = 1; i < players_ / 2; ++i) add(pairs, (turn + i) % cycle, (turn - i + cycle) % cycle);
    return pairs;
  }

 private:
  void add(std::vector<Pair>& pairs, int64_t a, int64_t b) const {
    if (a < blocks_ && b < blocks_) pairs.emplace_back(std::min(a, b), std::max(a, b));
  }

  int64_t blocks_;
  int64_t players_;
};

}  // namespace mbsc
