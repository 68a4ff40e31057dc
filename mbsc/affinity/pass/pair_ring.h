// SPDX-License-Identifier: Apache-2.0
// PairRing: the order in which a symmetric pass visits the pairs of row blocks. Every pair is visited once. Each block
// receives its contributions in an order that depends only on the number N of blocks. The sums therefore have the same
// bits for any number of threads and ranks.
//
// The N blocks form a ring. Row block i meets the column blocks i, i + 1, ..., i + N/2 (mod N). A tile is one such
// pair; its distance is column - row (mod N). Each block has two sums, which the caller adds after the pass: the sum
// over the columns that the block meets as a row, and the sum over the rows that it meets as a column. Both sums are
// added up in the order of increasing distance.
//
// A rank that owns the row blocks [f, e) processes one column block in each turn:
//     turn h = f, f + 1, ..., e - 1 + N/2:   column block h mod N meets the own row blocks among h, h - 1, ...
// The rank then sends the sum of the column block to the previous rank, which owns the row blocks before f. The
// previous rank continues the sum with the next distance. The rows never move, and a sum moves along at most half of
// the ring.
#pragma once

#include <cstdint>
#include <vector>

#include "mbsc/input.h"

namespace mbsc {

class PairRing {
 public:
  explicit PairRing(int64_t blocks) : blocks_(blocks) {}

  int64_t blocks() const { return blocks_; }
  int64_t tiles() const { return blocks_ * (blocks_ + 1) / 2; }
  /// The column block of a turn.
  int64_t column_of(int64_t turn) const { return turn % blocks_; }
  /// The largest distance at which row block i meets a column block. If N is even, two opposite blocks (distance N/2)
  /// would meet twice. They meet only once, with the smaller number as the row.
  int64_t reach_of_row(int64_t i) const { return blocks_ / 2 - (blocks_ % 2 == 0 && i >= blocks_ / 2 ? 1 : 0); }
  /// The largest distance at which column block j meets a row block.
  int64_t reach_of_column(int64_t j) const { return blocks_ / 2 - (blocks_ % 2 == 0 && j < blocks_ / 2 ? 1 : 0); }
  /// The number of a tile among all tiles, in the order of increasing distance.
  int64_t index(int64_t row, int64_t distance) const { return distance * blocks_ + row; }

  /// The row blocks among `own` that meet the column block of this turn.
  Range rows_of_turn(Range own, int64_t turn) const;
  /// The turns of a rank that owns these row blocks.
  Range turns(Range own) const;

 private:
  int64_t blocks_;
};

/// Consecutive turns that are processed together. A row block is packed once for all of them.
struct Strip {
  Range turns;
  Range rows;  ///< the row blocks that meet any of these column blocks; they are visited from the last to the first
};

/// Divides the turns of a rank into strips of at most `turns_together` turns.
/// A column block can occur a second time, N turns after the first. A strip has at most N/2 turns, so at least one
/// whole strip lies between the two occurrences. StripQueue works on two strips at a time, so these two strips never
/// contain the same column block.
std::vector<Strip> cut_into_strips(const PairRing& ring, Range own, int64_t turns_together);

}  // namespace mbsc
