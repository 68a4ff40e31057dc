// SPDX-License-Identifier: Apache-2.0
// Kernel values of a symmetric pass, kept for the next one: as many tiles, in the order of the schedule, as a limit of
// bytes allows. Which ones depends on n and the limit alone. 16 bits a value (simd/tile.h).
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

#include "mbsc/simd/tile.h"

namespace mbsc {

class TileCache {
 public:
  /// For tiles of `block_rows` x `block_rows` points, `tiles` in all.
  template <class T>
  static TileCache within(int64_t bytes, int64_t block_rows, int64_t tiles) {
    const int64_t width = simd::panel_rows<T>(), group = simd::group_columns;
    const auto whole = [&](int64_t piece) { return (block_rows + piece - 1) / piece * piece; };
    return TileCache(whole(width) * whole(group), bytes, tiles);
  }
  TileCache() = default;

  int64_t tiles() const { return tiles_; }
  int64_t bytes() const { return tiles_ * tile_ * int64_t(sizeof(uint16_t)); }
  /// Room for the values of a tile; null where it is not kept.
  uint16_t* tile(int64_t index) const { return index < tiles_ ? values_.get() + index * tile_ : nullptr; }

 private:
  TileCache(int64_t tile, int64_t bytes, int64_t tiles)
      : tile_((tile + 31) / 32 * 32), tiles_(std::min(tiles, bytes / (tile_ * int64_t(sizeof(uint16_t))))) {
    if (tiles_ == 0) return;
    values_.reset(static_cast<uint16_t*>(std::aligned_alloc(64, size_t(this->bytes()))));  // nobody touches it yet
    if (!values_) throw std::bad_alloc();
  }

  struct Free {
    void operator()(uint16_t* values) const { std::free(values); }
  };
  int64_t tile_ = 0, tiles_ = 0;
  std::unique_ptr<uint16_t[], Free> values_;
};

}  // namespace mbsc
