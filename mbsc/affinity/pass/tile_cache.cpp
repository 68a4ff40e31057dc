// SPDX-License-Identifier: Apache-2.0
#include "mbsc/affinity/pass/tile_cache.h"

#include <algorithm>
#include <new>

#include "mbsc/base/float64.h"
#include "mbsc/simd/tile.h"

namespace mbsc {

template <class T>
TileCache TileCache::within(int64_t bytes, int64_t block_rows, const PairRing& ring, Range own) {
  const auto padded = [&](int64_t piece) { return (block_rows + piece - 1) / piece * piece; };
  return TileCache(padded(simd::panel_rows<T>()) * padded(simd::group_columns), bytes, ring, own);
}

TileCache::TileCache(int64_t tile_values, int64_t bytes, const PairRing& ring, Range own)
    : tile_values_((tile_values + 31) / 32 * 32),
      tiles_(std::min(ring.tiles(), bytes / (tile_values_ * int64_t(sizeof(uint16_t))))),
      blocks_(ring.blocks()),
      own_(own) {
  // The number of own tiles that are cached: all own tiles at each distance that is cached completely, and at the next
  // distance those of the first tiles_ % blocks_ row blocks.
  const int64_t own_tiles =
      tiles_ / blocks_ * own.size() + std::clamp<int64_t>(tiles_ % blocks_ - own.begin, 0, own.size());
  if (own_tiles == 0) return;
  // The memory is not initialized, so the system allocates its pages only when the first pass writes to them.
  values_.reset(static_cast<uint16_t*>(std::aligned_alloc(64, size_t(own_tiles * tile_values_) * sizeof(uint16_t))));
  if (!values_) throw std::bad_alloc();
}

template TileCache TileCache::within<float>(int64_t, int64_t, const PairRing&, Range);
MBSC_FLOAT64(template TileCache TileCache::within<double>(int64_t, int64_t, const PairRing&, Range);)

}  // namespace mbsc
