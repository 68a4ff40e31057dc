// SPDX-License-Identifier: Apache-2.0
// Kernel values of a symmetric pass, kept for the next one: as many tiles, in the order of the ring (pair_ring.h), as a
// limit of bytes allows. Which ones depends on n and the limit alone; a rank has those of its rows. 16 bits a value
// (simd/tile.h).
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

#include "mbsc/affinity/pair_ring.h"
#include "mbsc/simd/tile.h"

namespace mbsc {

class TileCache {
 public:
  /// For tiles of `block_rows` x `block_rows` points; `own` are the row blocks of this rank, `bytes` those of all ranks.
  template <class T>
  static TileCache within(int64_t bytes, int64_t block_rows, const PairRing& ring, Range own) {
    const int64_t width = simd::panel_rows<T>(), group = simd::group_columns;
    const auto whole = [&](int64_t piece) { return (block_rows + piece - 1) / piece * piece; };
    return TileCache(whole(width) * whole(group), bytes, ring, own);
  }
  TileCache() = default;

  /// Tiles of all ranks that are kept.
  int64_t tiles() const { return tiles_; }
  /// Of all ranks.
  int64_t bytes() const { return tiles_ * tile_ * int64_t(sizeof(uint16_t)); }
  /// Room for the values of a tile of an own row block (counted from the first of them); null where it is not kept.
  uint16_t* tile(int64_t own_row, int64_t distance) const {
    if (distance * blocks_ + own_.begin + own_row >= tiles_) return nullptr;
    return values_.get() + (distance * own_.size() + own_row) * tile_;
  }

 private:
  TileCache(int64_t tile, int64_t bytes, const PairRing& ring, Range own)
      : tile_((tile + 31) / 32 * 32),
        tiles_(std::min(ring.tiles(), bytes / (tile_ * int64_t(sizeof(uint16_t))))),
        blocks_(ring.blocks()),
        own_(own) {
    // Whole distances, and what is left of the next.
    const int64_t mine =
        tiles_ / blocks_ * own.size() + std::clamp<int64_t>(tiles_ % blocks_ - own.begin, 0, own.size());
    if (mine == 0) return;
    // Nobody touches it yet.
    values_.reset(static_cast<uint16_t*>(std::aligned_alloc(64, size_t(mine * tile_) * sizeof(uint16_t))));
    if (!values_) throw std::bad_alloc();
  }

  struct Free {
    void operator()(uint16_t* values) const { std::free(values); }
  };
  int64_t tile_ = 0, tiles_ = 0, blocks_ = 0;
  Range own_;
  std::unique_ptr<uint16_t[], Free> values_;
};

}  // namespace mbsc
