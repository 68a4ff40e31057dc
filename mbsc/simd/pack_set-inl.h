// SPDX-License-Identifier: Apache-2.0
// pack_set() of near_pairs.h, compiled once for each SIMD level.
// clang-format off
#if defined(MBSC_SIMD_PACK_SET_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MBSC_SIMD_PACK_SET_INL_H_
#undef MBSC_SIMD_PACK_SET_INL_H_
#else
#define MBSC_SIMD_PACK_SET_INL_H_
#endif
// clang-format on

#include <hwy/highway.h>

#include <algorithm>
#include <limits>

#include "mbsc/simd/near_pairs.h"
#include "mbsc/simd/tile.h"

HWY_BEFORE_NAMESPACE();
namespace mbsc::simd {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// to = from - center. Returns |to|^2.
HWY_INLINE float center_row(const float* HWY_RESTRICT from, const float* HWY_RESTRICT center, int64_t d,
                            float* HWY_RESTRICT to) {
  const hn::ScalableTag<float> tag;
  const auto lanes = int64_t(hn::Lanes(tag));
  auto sum = hn::Zero(tag);
  int64_t f = 0;
  for (; f + lanes <= d; f += lanes) {
    const auto y = hn::Sub(hn::LoadU(tag, from + f), hn::LoadU(tag, center + f));
    hn::StoreU(y, tag, to + f);
    sum = hn::MulAdd(y, y, sum);
  }
  float norm = hn::GetLane(hn::SumOfLanes(tag, sum));
  for (; f < d; ++f) {
    to[f] = from[f] - center[f];
    norm += to[f] * to[f];
  }
  return norm;
}

/// panel[f * width + i] = rows[i * d + f] for four rows i.
HWY_INLINE void transpose_four(const float* HWY_RESTRICT rows, int64_t d, int64_t width, float* HWY_RESTRICT panel) {
  int64_t f = 0;
#if HWY_TARGET != HWY_SCALAR
  const hn::FixedTag<float, 4> tag;
  const hn::FixedTag<double, 2> pair;
  const auto low = [&](auto a, auto b) {  // interleaves pairs of floats
    return hn::BitCast(tag, hn::InterleaveLower(pair, hn::BitCast(pair, a), hn::BitCast(pair, b)));
  };
  const auto high = [&](auto a, auto b) {
    return hn::BitCast(tag, hn::InterleaveUpper(pair, hn::BitCast(pair, a), hn::BitCast(pair, b)));
  };
  for (; f + 4 <= d; f += 4) {
    const auto r0 = hn::LoadU(tag, rows + f), r1 = hn::LoadU(tag, rows + d + f);
    const auto r2 = hn::LoadU(tag, rows + 2 * d + f), r3 = hn::LoadU(tag, rows + 3 * d + f);
    const auto a = hn::InterleaveLower(tag, r0, r1), b = hn::InterleaveLower(tag, r2, r3);
    const auto c = hn::InterleaveUpper(tag, r0, r1), e = hn::InterleaveUpper(tag, r2, r3);
    hn::StoreU(low(a, b), tag, panel + f * width);
    hn::StoreU(high(a, b), tag, panel + (f + 1) * width);
    hn::StoreU(low(c, e), tag, panel + (f + 2) * width);
    hn::StoreU(high(c, e), tag, panel + (f + 3) * width);
  }
#endif
  for (; f < d; ++f)
    for (int64_t i = 0; i < 4; ++i) panel[f * width + i] = rows[i * d + f];
}

void run_pack_set(const RowsOf& points, const float* center, Layout layout, PackedSet& out) {
  const int64_t d = points.features, width = 2 * int64_t(hn::Lanes(hn::ScalableTag<float>()));
  // Whole panels, whole groups, and the four rows that are transposed together.
  const int64_t padded = (points.count + group_columns + width) / width * width;
  out.count = points.count;
  out.features = d;
  out.rows.resize(size_t(padded * d));
  out.norms.resize(size_t(padded));
  const float keep = (1 - (1.5F * float(d) + 40) / float(1 << 24)) / 2;
  constexpr int64_t ahead = 4;
  for (int64_t i = 0; i < points.count; ++i) {
    if (i + ahead < points.count) {
      const float* next = points.data + points.numbers[i + ahead] * points.stride;
      for (int64_t f = 0; f < std::min<int64_t>(d, 64); f += 16) __builtin_prefetch(next + f);
    }
    const float* row = points.data + points.numbers[i] * points.stride;
    out.norms[size_t(i)] = center_row(row, center, d, out.rows.data() + i * d) * keep;
  }
  std::fill(out.rows.begin() + points.count * d, out.rows.end(), 0.0F);
  std::fill(out.norms.begin() + points.count, out.norms.end(), std::numeric_limits<float>::infinity());
  if (layout == Layout::rows) return;
  out.panels.resize(size_t(padded * d));
  for (int64_t i = 0; i < points.count; i += 4)
    transpose_four(out.rows.data() + i * d, d, width, out.panels.data() + i / width * width * d + i % width);
}

}  // namespace HWY_NAMESPACE
}  // namespace mbsc::simd
HWY_AFTER_NAMESPACE();

#endif  // include guard
