// SPDX-License-Identifier: Apache-2.0
#include "mbsc/affinity/pass/exchange_schedule.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace mbsc {

ExchangeSchedule::ExchangeSchedule(const PairRing& ring, const RowBlocks& blocks, int rank, int ranks,
                                   int64_t most_together)
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

Range ExchangeSchedule::turns_of_strip(Range own, int64_t strip) const {
  const Range all = ring_.turns(own);
  return {std::min(all.end, all.begin + strip * together_), std::min(all.end, all.begin + (strip + 1) * together_)};
}

/// The next rank on the ring that owns rows, in ascending (step = 1) or descending (step = -1) order of ranks.
int ExchangeSchedule::neighbor(int step, int rank) const {
  do rank = (rank + step + ranks_) % ranks_;
  while (blocks_of(rank).size() == 0);
  return rank;
}

/// Follows each own column block from rank to rank until it has met its last row block.
void ExchangeSchedule::plan() {
  int64_t strips = 0;
  for (int rank = 0; rank < ranks_; ++rank)
    strips = std::max(strips, (ring_.turns(blocks_of(rank)).size() + together_ - 1) / together_);
  outgoing_.resize(size_t(strips));
  returning_.resize(size_t(strips));
  const Range own = blocks_of(rank_);
  for (int64_t block = own.begin; block < own.end; ++block) {
    std::optional<std::pair<int, int64_t>> last;  // rank, strip
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

}  // namespace mbsc
