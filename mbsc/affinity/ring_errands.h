// SPDX-License-Identifier: Apache-2.0
// Who sends which column block to whom, and when, in a symmetric pass on ranks (pair_ring.h, symmetric_pass.h). Ranks go
// through their strips side by side, strip s of one beside strip s of another, so that each knows what the others need from
// the number of blocks alone.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "mbsc/affinity/pair_ring.h"
#include "mbsc/base/row_blocks.h"

namespace mbsc {

class RingErrands {
 public:
  struct Errand {
    int rank;
    int64_t block;
  };

  /// `most_together` turns make a strip, or fewer: what the rank below needs in a strip must have left this one a strip
  /// before, so that messages travel while all work.
  RingErrands(const PairRing& ring, const RowBlocks& blocks, int rank, int ranks, int64_t most_together)
      : ring_(ring), blocks_(blocks), rank_(rank), ranks_(ranks), together_(most_together) {
    if (blocks_of(rank).size() == 0) return;
    next_ = neighbor(1, rank);
    previous_ = neighbor(-1, rank);
    if (is_alone()) return;
    for (int other = 0; other < ranks; ++other)
      if (const int64_t theirs = blocks_of(other).size(); theirs > 0)
        together_ = std::clamp<int64_t>(theirs / 2, 1, together_);
    plan();
  }

  bool is_alone() const { return next_ == rank_; }
  /// The ranks that hold the rows above this one's, and below: columns come from the one and go to the other.
  int next() const { return next_; }
  int previous() const { return previous_; }
  int64_t together() const { return together_; }
  /// Strips of the rank that has most.
  int64_t strips() const { return int64_t(outgoing_.size()); }

  /// Own columns that other ranks meet in their strips of this number, and those that have then met their last row.
  const std::vector<Errand>& outgoing(int64_t strip) const { return outgoing_[size_t(strip)]; }
  const std::vector<Errand>& returning(int64_t strip) const { return returning_[size_t(strip)]; }

  Range blocks_of(int rank) const { return blocks_.blocks_of_rank(rank, ranks_); }
  int home_of(int64_t block) const { return blocks_.rank_of_block(block, ranks_); }
  /// The turn at which a rank with these rows has this column.
  int64_t turn_of(Range rows, int64_t block) const { return block >= rows.begin ? block : block + ring_.blocks(); }
  /// Turns of a strip of a rank with these rows.
  Range turns_of_strip(Range rows, int64_t strip) const {
    const Range all = ring_.turns(rows);
    return {std::min(all.end, all.begin + strip * together_), std::min(all.end, all.begin + (strip + 1) * together_)};
  }
  /// Whether a rank with these rows meets, at this turn, a column of another rank.
  bool is_foreign(Range rows, int64_t turn) const {
    return turn >= rows.end && ring_.rows_of_turn(rows, turn).size() > 0;
  }

 private:
  /// The next rank that holds rows, up or down the ring.
  int neighbor(int step, int rank) const {
    do rank = (rank + step + ranks_) % ranks_;
    while (blocks_of(rank).size() == 0);
    return rank;
  }

  void plan() {
    int64_t strips = 0;
    for (int rank = 0; rank < ranks_; ++rank)
      strips = std::max(strips, (ring_.turns(blocks_of(rank)).size() + together_ - 1) / together_);
    outgoing_.resize(size_t(strips));
    returning_.resize(size_t(strips));
    const Range own = blocks_of(rank_);
    for (int64_t block = own.begin; block < own.end; ++block) {
      std::optional<std::pair<int, int64_t>> last;
      for (int rank = previous_; rank != rank_; rank = neighbor(-1, rank)) {
        const Range rows = blocks_of(rank);
        const int64_t turn = turn_of(rows, block);
        if (!is_foreign(rows, turn)) break;
        last = {rank, (turn - rows.begin) / together_};
        outgoing_[size_t(last->second)].push_back({rank, block});
      }
      if (last) returning_[size_t(last->second)].push_back({last->first, block});
    }
  }

  const PairRing ring_;
  const RowBlocks blocks_;
  const int rank_, ranks_;
  int64_t together_;
  int next_ = 0, previous_ = 0;
  std::vector<std::vector<Errand>> outgoing_, returning_;  ///< by strip
};

}  // namespace mbsc
