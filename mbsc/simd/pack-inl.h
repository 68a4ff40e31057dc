// SPDX-License-Identifier: Apache-2.0
// Packing (pack.h), compiled once for each SIMD level. Each step converts some features of some rows of a piece, stores
// them row by row in a buffer, and transposes the buffer; floats are transposed four or two rows at a time. Reads and
// writes stay in the first-level cache.
// clang-format off
#if defined(MBSC_SIMD_PACK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MBSC_SIMD_PACK_INL_H_
#undef MBSC_SIMD_PACK_INL_H_
#else
#define MBSC_SIMD_PACK_INL_H_
#endif
// clang-format on

#include <hwy/highway.h>

#include <algorithm>
#include <type_traits>

#include "mbsc/simd/pack.h"

HWY_BEFORE_NAMESPACE();
namespace mbsc::simd {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr int64_t kPackFeatures = 32, kPackRows = 32;  ///< size of the buffer

/// Applies the formula to `count` features of one row, starting at feature `first`. `row` is its number in the piece.
template <class T, class Source>
HWY_INLINE void scale_row(const Source* HWY_RESTRICT x, const PackFormula& formula, int64_t first, int64_t count,
                          int64_t row, T* HWY_RESTRICT values) {
  const hn::ScalableTag<double> wide;
  const hn::Rebind<float, decltype(wide)> narrow;
  const int64_t lanes = int64_t(hn::Lanes(wide));
  const double length = formula.lengths == nullptr ? 1 : formula.lengths[row];
  const double *offset = formula.offset + first, *factor = formula.factor + first;
  x += first;
  int64_t f = 0;
  for (; f + lanes <= count; f += lanes) {
    hn::Vec<decltype(wide)> v;
    if constexpr (std::is_same_v<Source, float>)
      v = hn::PromoteTo(wide, hn::LoadU(narrow, x + f));
    else
      v = hn::LoadU(wide, x + f);
    v = hn::Mul(hn::Sub(v, hn::LoadU(wide, offset + f)), hn::LoadU(wide, factor + f));
    if (formula.lengths != nullptr) v = hn::Mul(v, hn::Set(wide, length));
    if constexpr (std::is_same_v<T, float>)
      hn::StoreU(hn::DemoteTo(narrow, v), narrow, values + f);
    else
      hn::StoreU(v, wide, values + f);
  }
  for (; f < count; ++f) values[f] = T((double(x[f]) - offset[f]) * factor[f] * length);
}

/// piece[f * width + i] = buffer[i * kPackFeatures + f].
template <class T>
HWY_INLINE void transpose(const T* HWY_RESTRICT buffer, int64_t rows, int64_t features, int64_t width,
                          T* HWY_RESTRICT piece) {
  int64_t done = 0;
#if HWY_TARGET != HWY_SCALAR
  if constexpr (std::is_same_v<T, float>) {
    const hn::FixedTag<float, 4> tag;
    const hn::FixedTag<double, 2> pair;
    const int64_t whole = features / 4 * 4;
    const auto high = [&](auto a, auto b) {  // interleaves pairs of floats
      return hn::BitCast(tag, hn::InterleaveUpper(pair, hn::BitCast(pair, a), hn::BitCast(pair, b)));
    };
    const auto low = [&](auto a, auto b) {
      return hn::BitCast(tag, hn::InterleaveLower(pair, hn::BitCast(pair, a), hn::BitCast(pair, b)));
    };
    for (; done + 4 <= rows; done += 4) {
      const float* from = buffer + done * kPackFeatures;
      float* to = piece + done;
      for (int64_t f = 0; f < whole; f += 4) {
        const auto r0 = hn::LoadU(tag, from + f), r1 = hn::LoadU(tag, from + kPackFeatures + f);
        const auto r2 = hn::LoadU(tag, from + 2 * kPackFeatures + f), r3 = hn::LoadU(tag, from + 3 * kPackFeatures + f);
        const auto a = hn::InterleaveLower(tag, r0, r1), b = hn::InterleaveLower(tag, r2, r3);
        const auto c = hn::InterleaveUpper(tag, r0, r1), e = hn::InterleaveUpper(tag, r2, r3);
        hn::StoreU(low(a, b), tag, to + f * width);
        hn::StoreU(high(a, b), tag, to + (f + 1) * width);
        hn::StoreU(low(c, e), tag, to + (f + 2) * width);
        hn::StoreU(high(c, e), tag, to + (f + 3) * width);
      }
      for (int64_t f = whole; f < features; ++f)
        for (int64_t i = 0; i < 4; ++i) to[f * width + i] = from[i * kPackFeatures + f];
    }
    const hn::FixedTag<float, 2> two;
    for (; done + 2 <= rows; done += 2) {
      const float* from = buffer + done * kPackFeatures;
      float* to = piece + done;
      for (int64_t f = 0; f < whole; f += 4) {
        const auto r0 = hn::LoadU(tag, from + f), r1 = hn::LoadU(tag, from + kPackFeatures + f);
        const auto a = hn::InterleaveLower(tag, r0, r1), b = hn::InterleaveUpper(tag, r0, r1);
        hn::StoreU(hn::LowerHalf(two, a), two, to + f * width);
        hn::StoreU(hn::UpperHalf(two, a), two, to + (f + 1) * width);
        hn::StoreU(hn::LowerHalf(two, b), two, to + (f + 2) * width);
        hn::StoreU(hn::UpperHalf(two, b), two, to + (f + 3) * width);
      }
      for (int64_t f = whole; f < features; ++f)
        for (int64_t i = 0; i < 2; ++i) to[f * width + i] = from[i * kPackFeatures + f];
    }
  }
#endif
  for (int64_t i = done; i < rows; ++i)
    for (int64_t f = 0; f < features; ++f) piece[f * width + i] = buffer[i * kPackFeatures + f];
}

template <class T, class Source>
void pack(const Source* const* rows, int64_t count, int64_t features, const PackFormula& formula, int64_t width,
          T* piece) {
  alignas(64) T buffer[kPackRows * kPackFeatures];
  for (int64_t first = 0; first < features; first += kPackFeatures) {
    const int64_t some = std::min(kPackFeatures, features - first);
    for (int64_t row = 0; row < count; row += kPackRows) {
      const int64_t few = std::min(kPackRows, count - row);
      for (int64_t i = 0; i < few; ++i)
        scale_row(rows[row + i], formula, first, some, row + i, buffer + i * kPackFeatures);
      transpose(buffer, few, some, width, piece + first * width + row);
    }
  }
}

void pack_ff(const float* const* r, int64_t c, int64_t d, const PackFormula& p, int64_t w, float* o) {
  pack(r, c, d, p, w, o);
}
void pack_fd(const double* const* r, int64_t c, int64_t d, const PackFormula& p, int64_t w, float* o) {
  pack(r, c, d, p, w, o);
}
void pack_df(const float* const* r, int64_t c, int64_t d, const PackFormula& p, int64_t w, double* o) {
  pack(r, c, d, p, w, o);
}
void pack_dd(const double* const* r, int64_t c, int64_t d, const PackFormula& p, int64_t w, double* o) {
  pack(r, c, d, p, w, o);
}

}  // namespace HWY_NAMESPACE
}  // namespace mbsc::simd
HWY_AFTER_NAMESPACE();

#endif  // include guard
