// SPDX-License-Identifier: Apache-2.0
#include "mbsc/affinity/pass/pair_ring.h"

#include <algorithm>

namespace mbsc {

Range PairRing::rows_of_turn(Range own, int64_t turn) const {
  const int64_t first = std::min(own.end, std::max(own.begin, turn - reach_of_column(column_of(turn))));
  return {first, std::max(first, std::min(own.end, turn + 1))};
}

Range PairRing::turns(Range own) const {
  if (own.size() == 0) return {own.begin, own.begin};
  int64_t end = own.begin;
  for (int64_t i = std::max(own.begin, own.end - 2); i < own.end; ++i) end = std::max(end, i + reach_of_row(i) + 1);
  return {own.begin, end};
}

std::vector<Strip> cut_into_strips(const PairRing& ring, Range own, int64_t turns_together) {
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

}  // namespace mbsc
