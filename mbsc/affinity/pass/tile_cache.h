// SPDX-License-Identifier: Apache-2.0
// TileCache: kernel values of a symmetric pass, cached for later passes, in 16 bits each (simd/tile.h).
//
// The cache holds as many tiles as its limit of bytes allows, in the order of increasing distance on the ring
// (pair_ring.h). The choice of the tiles does not depend on the number of ranks. A rank holds the cached tiles of its
// own rows.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>

#include "mbsc/affinity/pass/pair_ring.h"

namespace mbsc {

class TileCache {
 public:
  /// An empty cache.
  TileCache() = default;
  /// A cache of tiles of `block_rows` x `block_rows` values of type T. `own` are the row blocks of this rank; `bytes`
  /// is the limit over all ranks.
  template <class T>
  static TileCache within(int64_t bytes, int64_t block_rows, const PairRing& ring, Range own);

  /// The number of cached tiles, over all ranks.
  int64_t tiles() const { return tiles_; }
  /// The size of the cached tiles, over all ranks.
  int64_t bytes() const { return tiles_ * tile_values_ * int64_t(sizeof(uint16_t)); }
  /// The values of a tile, or null if the tile is not cached. `own_row` counts from the first row block of this rank.
  uint16_t* tile(int64_t own_row, int64_t distance) const {
    if (distance * blocks_ + own_.begin + own_row >= tiles_) return nullptr;
    return values_.get() + (distance * own_.size() + own_row) * tile_values_;
  }

 private:
  TileCache(int64_t tile_values, int64_t bytes, const PairRing& ring, Range own);

  struct Free {
    void operator()(uint16_t* values) const { std::free(values); }
  };
  int64_t tile_values_ = 0;  ///< the number of values of one tile, with its padding
  int64_t tiles_ = 0;
  int64_t blocks_ = 0;  ///< the number of blocks of the ring
  Range own_;
  std::unique_ptr<uint16_t[], Free> values_;  ///< [distance][own row block][value]
};

}  // namespace mbsc
