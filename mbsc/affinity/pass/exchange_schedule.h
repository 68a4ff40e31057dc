// SPDX-License-Identifier: Apache-2.0
// ExchangeSchedule: which rank sends which column block to which rank, and for which strip, in a symmetric pass on
// several ranks. In each turn, a rank processes one column block; a strip is a group of consecutive turns (pair_ring.h,
// column_exchange.h). Strip s of one rank runs at the same time as strip s of the others. Each rank can therefore derive
// what the other ranks need, and when, from the numbers of blocks and ranks.
#pragma once

#include <cstdint>
#include <vector>

#include "mbsc/affinity/pass/pair_ring.h"
#include "mbsc/base/row_blocks.h"

namespace mbsc {

class ExchangeSchedule {
 public:
  /// A column block, and the other rank that receives it or returns its sums.
  struct Transfer {
    int rank;
    int64_t block;
  };

  /// A strip has at most `most_together` turns. The sums of a column block travel backward along the ring: a
  /// rank receives them from the next rank, adds its own parts, and sends them on to the previous rank. All
  /// ranks begin at their own first block, so the next rank reaches a column block earlier, by as many turns as this rank
  /// has blocks. For messages and work to overlap, a strip has at most b/2 turns (but at least one), where b is the
  /// smallest number of blocks of any rank.
  ExchangeSchedule(const PairRing& ring, const RowBlocks& blocks, int rank, int ranks, int64_t most_together);

  /// Whether this rank exchanges nothing, because it or all other ranks have no rows.
  bool is_alone() const { return next_ == rank_; }
  /// The rank that owns the next rows on the ring, after those of this rank. It sends the sums of columns to this rank.
  int next() const { return next_; }
  /// The rank that owns the rows before those of this rank. It receives the sums of columns from this rank.
  int previous() const { return previous_; }
  /// The number of turns in a strip.
  int64_t together() const { return together_; }
  /// The number of strips of the rank that has the most; 0 if this rank exchanges nothing.
  int64_t strips() const { return int64_t(outgoing_.size()); }

  /// The own column blocks that other ranks need in their strip with this number.
  const std::vector<Transfer>& outgoing(int64_t strip) const { return outgoing_[size_t(strip)]; }
  /// The own column blocks that meet their last row block in this strip, on another rank. That rank returns their sums.
  const std::vector<Transfer>& returning(int64_t strip) const { return returning_[size_t(strip)]; }

  Range blocks_of(int rank) const { return blocks_.blocks_of_rank(rank, ranks_); }
  int owner_of(int64_t block) const { return blocks_.rank_of_block(block, ranks_); }
  /// The turn at which a rank that owns the row blocks `own` processes this column block.
  int64_t turn_of(Range own, int64_t block) const { return block >= own.begin ? block : block + ring_.blocks(); }
  /// The turns of a strip of a rank that owns the row blocks `own`.
  Range turns_of_strip(Range own, int64_t strip) const;
  /// Whether a rank that owns the row blocks `own` processes a column block of another rank at this turn.
  bool is_foreign(Range own, int64_t turn) const { return turn >= own.end && ring_.rows_of_turn(own, turn).size() > 0; }

 private:
  int neighbor(int step, int rank) const;
  void plan();

  const PairRing ring_;
  const RowBlocks blocks_;
  const int rank_, ranks_;
  int64_t together_;
  int next_ = 0, previous_ = 0;
  std::vector<std::vector<Transfer>> outgoing_, returning_;  ///< by strip
};

}  // namespace mbsc
