// SPDX-License-Identifier: Apache-2.0
// The loops of near_pairs.h, compiled once for each SIMD level.
// clang-format off
#if defined(MBSC_SIMD_NEAR_PAIRS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MBSC_SIMD_NEAR_PAIRS_INL_H_
#undef MBSC_SIMD_NEAR_PAIRS_INL_H_
#else
#define MBSC_SIMD_NEAR_PAIRS_INL_H_
#endif
// clang-format on

#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "mbsc/simd/near_pairs.h"
#include "mbsc/simd/tile.h"

HWY_BEFORE_NAMESPACE();
namespace mbsc::simd {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using FloatTag = hn::ScalableTag<float>;
using FloatVector = hn::Vec<FloatTag>;
constexpr int kSix = group_columns;
constexpr size_t kMostLanes = hn::MaxLanes(FloatTag());

/// The bits of a mask, the first lane lowest.
template <class Tag, class Mask>
HWY_INLINE uint64_t bits_of(Tag tag, Mask mask) {
  uint8_t bytes[8 + hn::MaxLanes(Tag()) / 8] = {};
  hn::StoreMaskBits(tag, mask, bytes);
  uint64_t bits = 0;
  std::memcpy(&bits, bytes, std::max<size_t>(1, hn::MaxLanes(Tag()) / 8));
  return bits;
}

/// h of a panel and six points, whose coordinates are `d` apart: h[2 j] and h[2 j + 1] are those of point j.
HWY_INLINE void half_distances(const float* HWY_RESTRICT panel, const float* HWY_RESTRICT panel_norms,
                               const float* HWY_RESTRICT points, const float* HWY_RESTRICT norms, int64_t d,
                               FloatVector* h) {
  const FloatTag tag;
  const size_t lanes = hn::Lanes(tag);
  const float* HWY_RESTRICT y[kSix];
  for (int j = 0; j < kSix; ++j) y[j] = points + j * d;
#pragma GCC unroll 12
  for (int v = 0; v < 2 * kSix; ++v) h[v] = hn::Zero(tag);
  for (int64_t f = 0; f < d; ++f) {
    const FloatVector x0 = hn::Load(tag, panel), x1 = hn::Load(tag, panel + lanes);
    panel += 2 * lanes;
#pragma GCC unroll 6
    for (int j = 0; j < kSix; ++j) {
      const FloatVector v = hn::Set(tag, y[j][f]);
      h[2 * j] = hn::NegMulAdd(x0, v, h[2 * j]);
      h[2 * j + 1] = hn::NegMulAdd(x1, v, h[2 * j + 1]);
    }
  }
  const FloatVector norms0 = hn::Load(tag, panel_norms), norms1 = hn::Load(tag, panel_norms + lanes);
#pragma GCC unroll 6
  for (int j = 0; j < kSix; ++j) {
    const FloatVector norm = hn::Set(tag, norms[j]);
    h[2 * j] = hn::Add(h[2 * j], hn::Add(norms0, norm));
    h[2 * j + 1] = hn::Add(h[2 * j + 1], hn::Add(norms1, norm));
  }
}

/// compare_pairs().
class PairRun {
 public:
  explicit PairRun(const PairTile& tile) : tile_(tile), d_(tile.rows->features) {}

  void run() {
    // A few panels stay in the first-level cache, or in the second-level cache if a panel is large.
    const int64_t panels = (tile_.rows->count + width_ - 1) / width_;
    const int64_t together = std::clamp<int64_t>(24576 / (4 * width_ * d_), d_ <= 192 ? 1 : 4, 4);
    for (int64_t first = 0; first < panels; first += together) {
      const int64_t end = std::min(panels, first + together);
      const int64_t begin = tile_.is_same ? first * width_ / kSix * kSix : 0;
      for (int64_t column = begin; column < tile_.columns->count; column += kSix)
        for (int64_t panel = first; panel < end; ++panel)
          if (!tile_.is_same || column + kSix > panel * width_ + 1) compare(panel * width_, column);
    }
  }

 private:
  void compare(int64_t row, int64_t column) {
    FloatVector h[2 * kSix];
    half_distances(tile_.rows->panels.data() + row * d_, tile_.rows->norms.data() + row,
                   tile_.columns->rows.data() + column * d_, tile_.columns->norms.data() + column, d_, h);
    const float* row_limits = tile_.limits + tile_.row_place + row;
    const float* column_limits = tile_.limits + tile_.column_place + column;
    const FloatVector limit0 = hn::LoadU(tag_, row_limits), limit1 = hn::LoadU(tag_, row_limits + lanes_);
    alignas(64) float values[2 * kSix * kMostLanes];
    uint64_t near[kSix], any = 0;
#pragma GCC unroll 6
    for (int j = 0; j < kSix; ++j) {
      const FloatVector limit = hn::Set(tag_, column_limits[j]);
      hn::Store(h[2 * j], tag_, values + 2 * j * lanes_);
      hn::Store(h[2 * j + 1], tag_, values + (2 * j + 1) * lanes_);
      near[j] = bits_of(tag_, hn::Le(h[2 * j], hn::Max(limit0, limit))) |
                bits_of(tag_, hn::Le(h[2 * j + 1], hn::Max(limit1, limit))) << lanes_;
      any |= near[j];
    }
    if (any == 0) return;
    for (int j = 0; j < kSix; ++j) {
      if (tile_.is_same) {  // rows before the column
        const int64_t before = std::clamp<int64_t>(column + j - row, 0, width_);
        near[j] &= before < 64 ? (uint64_t{1} << before) - 1 : ~uint64_t{0};
      }
      const auto other = int32_t(tile_.column_place + column + j);
      for (uint64_t left = near[j]; left != 0; left &= left - 1) {
        const int i = std::countr_zero(left);
        const auto place = int32_t(tile_.row_place + row + i);
        const float value = values[j * width_ + i];
        push(place, {value, other});
        push(other, {value, place});
      }
    }
  }

  /// Adds a candidate if it is within the limit of the place. It has no branches that cannot be predicted.
  HWY_INLINE void push(int32_t place, Candidate candidate) {
    int32_t& count = tile_.counts[place];
    tile_.buffers[place * tile_.room + count] = candidate;
    count += candidate.bound <= tile_.limits[place] ? 1 : 0;
    if (HWY_UNLIKELY(count == tile_.room)) tile_.full(tile_.context, place);
  }

  static constexpr FloatTag tag_{};
  const int64_t lanes_ = int64_t(hn::Lanes(FloatTag())), width_ = 2 * lanes_;
  const PairTile& tile_;
  const int64_t d_;
};

void run_pairs(const PairTile& tile) { PairRun(tile).run(); }

/// The positions of the smallest values so far, smallest first; of equal values, the first.
struct Smallest {
  int32_t* positions;
  float* values;
  int64_t wanted, taken = 0;

  HWY_INLINE void add(float value, int32_t position) {
    if (taken == wanted && !(value < values[wanted - 1])) return;
    int64_t at = taken < wanted ? taken++ : wanted - 1;
    for (; at > 0 && value < values[at - 1]; --at) {
      values[at] = values[at - 1];
      positions[at] = positions[at - 1];
    }
    values[at] = value;
    positions[at] = position;
  }
};

/// A number that at least `wanted` of these values are not above. `count` is a multiple of the lanes.
HWY_INLINE float upper_bound(const float* HWY_RESTRICT values, int64_t count, int64_t wanted) {
  constexpr int64_t slots = 16;
  if (wanted > slots / 2 || count < 2 * slots) return std::numeric_limits<float>::infinity();
  // The smallest values of `slots` disjoint parts. The `wanted` smallest of these are different values.
  const FloatTag tag;
  const auto lanes = int64_t(hn::Lanes(tag));
  alignas(64) float least[slots];
  std::copy_n(values, slots, least);
  for (int64_t slot = 0; slot < slots; slot += lanes) {
    FloatVector smallest = hn::Load(tag, least + slot);
    for (int64_t at = slots + slot; at < count; at += slots)
      if (at + lanes <= count) smallest = hn::Min(smallest, hn::LoadU(tag, values + at));
    hn::Store(smallest, tag, least + slot);
  }
  int32_t positions[slots];
  float kept[slots];
  Smallest found{positions, kept, wanted};
  for (int64_t slot = 0; slot < slots; ++slot) found.add(least[slot], int32_t(slot));
  return kept[wanted - 1];
}

/// The positions of the `wanted` smallest of `count` values. The values up to the next multiple of the lanes are
/// infinite.
void find_smallest(const float* HWY_RESTRICT values, int64_t count, int64_t wanted, int32_t* out, float* kept) {
  const FloatTag tag;
  const auto lanes = int64_t(hn::Lanes(tag));
  const int64_t padded = (count + lanes - 1) / lanes * lanes;
  Smallest found{out, kept, wanted};
  float bound = upper_bound(values, padded, wanted);
  for (int64_t at = 0; at < padded; at += lanes) {
    uint64_t near = bits_of(tag, hn::Le(hn::LoadU(tag, values + at), hn::Set(tag, bound)));
    for (; near != 0; near &= near - 1) {
      const int64_t position = at + std::countr_zero(near);
      if (position < count) found.add(values[position], int32_t(position));
    }
    if (found.taken == wanted) bound = std::min(bound, kept[wanted - 1]);
  }
  // Values that are not numbers come last.
  for (int32_t position = 0; found.taken < wanted; ++position)
    if (std::find(out, out + found.taken, position) == out + found.taken) out[found.taken++] = position;
}

void run_nearest_of(const PackedSet& leaders, const PackedSet& points, int64_t first, int64_t count, int64_t wanted,
                    int32_t* out, AlignedVector<float>& scratch) {
  const FloatTag tag;
  const auto lanes = int64_t(hn::Lanes(tag));
  const int64_t d = leaders.features, width = 2 * lanes, stride = (leaders.count + width - 1) / width * width;
  scratch.resize(size_t(kSix * stride + wanted));
  float* values = scratch.data();
  for (int64_t i = first; i < first + count; i += kSix) {
    for (int64_t leader = 0; leader < leaders.count; leader += width) {
      FloatVector h[2 * kSix];
      half_distances(leaders.panels.data() + leader * d, leaders.norms.data() + leader, points.rows.data() + i * d,
                     points.norms.data() + i, d, h);
#pragma GCC unroll 6
      for (int j = 0; j < kSix; ++j) {
        hn::Store(h[2 * j], tag, values + j * stride + leader);
        hn::Store(h[2 * j + 1], tag, values + j * stride + leader + lanes);
      }
    }
    for (int64_t j = 0; j < std::min<int64_t>(kSix, first + count - i); ++j)
      find_smallest(values + j * stride, leaders.count, wanted, out + (i - first + j) * wanted, values + kSix * stride);
  }
}

int64_t run_keep_unknown(const int32_t* list, int64_t size, float limit, Candidate* candidates, int64_t count) {
  const FloatTag tag;
  const hn::RebindToSigned<FloatTag> integers;
  const auto lanes = int64_t(hn::Lanes(tag));
  const FloatVector most = hn::Set(tag, limit);
  int64_t kept = 0;
  for (int64_t first = 0; first < count; first += lanes) {
    FloatVector bounds, numbers;
    hn::LoadInterleaved2(tag, reinterpret_cast<const float*>(candidates + first), bounds, numbers);
    const auto points = hn::BitCast(integers, numbers);
    auto known = hn::Eq(points, hn::Set(integers, -1));
    for (int64_t e = 0; e < size; ++e) known = hn::Or(known, hn::Eq(points, hn::Set(integers, list[2 * e + 1])));
    uint64_t left = bits_of(tag, hn::Le(bounds, most)) & ~bits_of(integers, known);
    for (; left != 0; left &= left - 1) {
      const int64_t c = first + std::countr_zero(left);
      if (c < count) candidates[kept++] = candidates[c];
    }
  }
  return kept;
}

void run_sort_keys(int64_t* keys, int64_t count, int64_t* out) {
  const hn::ScalableTag<int64_t> tag;
  const auto lanes = int64_t(hn::Lanes(tag));
  std::fill(keys + count, keys + (count + lanes - 1) / lanes * lanes, no_key);
  for (int64_t i = 0; i < count; ++i) {
    const auto key = hn::Set(tag, keys[i]);
    size_t before = 0;
    for (int64_t at = 0; at < count; at += lanes) before += hn::CountTrue(tag, hn::Lt(hn::LoadU(tag, keys + at), key));
    out[before] = keys[i];
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace mbsc::simd
HWY_AFTER_NAMESPACE();

#endif  // include guard
