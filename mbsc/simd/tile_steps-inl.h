// SPDX-License-Identifier: Apache-2.0
// The steps of a tile (tile.h): inner products, kernel values, products with right-hand sides. They are compiled once
// for each SIMD level. A step works on a few panels and groups. Between the steps, the values of a panel and a group
// are stored as [column][panel_rows]. Most steps are separate functions (NOINLINE), so that each can use all registers.
// clang-format off
#if defined(MBSC_SIMD_TILE_STEPS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MBSC_SIMD_TILE_STEPS_INL_H_
#undef MBSC_SIMD_TILE_STEPS_INL_H_
#else
#define MBSC_SIMD_TILE_STEPS_INL_H_
#endif
// clang-format on

#include <hwy/highway.h>

#include <cstdint>

#include "mbsc/simd/exp2-inl.h"
#include "mbsc/simd/tile.h"

HWY_BEFORE_NAMESPACE();
namespace mbsc::simd {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T>
using Tag = hn::ScalableTag<T>;
template <class T>
using Vector = hn::Vec<Tag<T>>;

constexpr int kColumns = group_columns;
constexpr int kVectors = 2 * kColumns;  ///< vectors of values of one panel (two vectors of rows) against one group

/// `some` of `all` features, starting at `first`.
struct FeatureRange {
  int64_t first, some, all;
};

/// Computes kernel values from `a`, the sums over the features of one panel and one group. The exponential is a long
/// chain of operations, and the processor looks ahead only a few dozen operations. So this function first computes and
/// stores all arguments, and then evaluates the polynomials of a few vectors at a time.
template <Form form, bool direct, class T>
HWY_INLINE void finish_values(const Vector<T>* a, const T* HWY_RESTRICT row_norms, const T* HWY_RESTRICT column_norms,
                              T gain, T* HWY_RESTRICT values) {
  const Tag<T> tag;
  const size_t lanes = hn::Lanes(tag);
  if constexpr (form == Form::cosine) {
#pragma GCC unroll 12
    for (int v = 0; v < kVectors; ++v) hn::Store(hn::Max(a[v], hn::Zero(tag)), tag, values + v * lanes);
    return;
  }
  const Vector<T> rows0 = hn::Load(tag, row_norms), rows1 = hn::Load(tag, row_norms + lanes);
  if constexpr (form == Form::distance) {
#pragma GCC unroll 6
    for (int j = 0; j < kColumns; ++j) {
      const Vector<T> column = hn::Set(tag, column_norms[j]);
      hn::Store(hn::Neg(hn::Add(a[2 * j], hn::Add(rows0, column))), tag, values + 2 * j * lanes);
      hn::Store(hn::Neg(hn::Add(a[2 * j + 1], hn::Add(rows1, column))), tag, values + (2 * j + 1) * lanes);
    }
    return;
  }
  alignas(64) T rest[kVectors * hn::MaxLanes(Tag<T>())];
#pragma GCC unroll 6
  for (int j = 0; j < kColumns; ++j) {
    const Vector<T> column = hn::Set(tag, column_norms[j]);
#pragma GCC unroll 2
    for (int h = 0; h < 2; ++h) {
      const int v = 2 * j + h;
      Vector<T> t = a[v];
      if constexpr (!direct) t = hn::Add(t, hn::Add(h == 0 ? rows0 : rows1, column));
      if constexpr (form == Form::exponential) t = hn::Sqrt(t);
      if constexpr (direct) t = hn::Mul(t, hn::Set(tag, gain));
      const Split<Vector<T>> parts = split_exponent(tag, t);
      hn::Store(parts.rest, tag, rest + v * lanes);
      hn::Store(parts.power, tag, values + v * lanes);
    }
  }
  constexpr int together = 6;
#pragma GCC unroll 6
  for (int v = 0; v < kVectors; v += together) exp2_join<together>(tag, rest + v * lanes, values + v * lanes);
}

/// For `count` panels and one group: adds a range of features to the inner products (times -2 for expanded distances)
/// or to the sums of squared differences. After the last feature it computes the kernel values. The values of a panel
/// are `stride` apart from those of the next. The group stays in the first-level cache.
template <Form form, bool direct, class T>
HWY_NOINLINE void add_features(const T* HWY_RESTRICT panels, const T* HWY_RESTRICT columns, const FeatureRange& range,
                               const T* HWY_RESTRICT row_norms, const T* HWY_RESTRICT column_norms, T gain,
                               int64_t count, T* HWY_RESTRICT values, int64_t stride) {
  const Tag<T> tag;
  const size_t lanes = hn::Lanes(tag);
  for (int64_t p = 0; p < count; ++p) {
    const T* HWY_RESTRICT panel = panels + (p * range.all + range.first) * int64_t(2 * lanes);
    const T* HWY_RESTRICT group = columns + range.first * kColumns;
    Vector<T> a[kVectors];
    if (range.first == 0) {
#pragma GCC unroll 12
      for (int v = 0; v < kVectors; ++v) a[v] = hn::Zero(tag);
    } else {
#pragma GCC unroll 12
      for (int v = 0; v < kVectors; ++v) a[v] = hn::Load(tag, values + v * lanes);
    }
    for (int64_t f = 0; f < range.some; ++f) {
      const Vector<T> x0 = hn::Load(tag, panel);
      const Vector<T> x1 = hn::Load(tag, panel + lanes);
      panel += 2 * lanes;
#pragma GCC unroll 6
      for (int j = 0; j < kColumns; ++j) {
        const Vector<T> y = hn::Set(tag, group[j]);
        if constexpr (direct) {
          const Vector<T> u0 = hn::Sub(x0, y), u1 = hn::Sub(x1, y);
          a[2 * j] = hn::MulAdd(u0, u0, a[2 * j]);
          a[2 * j + 1] = hn::MulAdd(u1, u1, a[2 * j + 1]);
        } else {
          a[2 * j] = hn::MulAdd(x0, y, a[2 * j]);
          a[2 * j + 1] = hn::MulAdd(x1, y, a[2 * j + 1]);
        }
      }
      group += kColumns;
    }
    if (range.first + range.some == range.all) {
      finish_values<form, direct>(a, row_norms, column_norms, gain, values);
    } else {
#pragma GCC unroll 12
      for (int v = 0; v < kVectors; ++v) hn::Store(a[v], tag, values + v * lanes);
    }
    row_norms += 2 * lanes;
    values += stride;
  }
}

template <class T>
using AddFeatures = decltype(&add_features<Form::gaussian, false, T>);

/// The version of add_features() for a form.
template <class T>
AddFeatures<T> choose_add_features(Form form, bool direct) {
  switch (form) {
    case Form::gaussian:
      return direct ? add_features<Form::gaussian, true, T> : add_features<Form::gaussian, false, T>;
    case Form::exponential:  // always direct: the root of a distance that lost its digits to cancellation is useless
      return add_features<Form::exponential, true, T>;
    case Form::cosine:
      return add_features<Form::cosine, false, T>;
    case Form::distance:
      break;
  }
  return add_features<Form::distance, false, T>;
}

/// out += values rhs for one panel, several groups and `some` of the r right-hand sides. The columns of the groups are
/// the inner dimension.
template <int some, class T>
HWY_NOINLINE void multiply_rows(const T* HWY_RESTRICT values, int64_t groups, const T* HWY_RESTRICT rhs, int64_t r,
                                T* HWY_RESTRICT out) {
  const Tag<T> tag;
  const size_t lanes = hn::Lanes(tag);
  Vector<T> o0[some], o1[some];
#pragma GCC unroll 6
  for (int c = 0; c < some; ++c) {
    o0[c] = hn::Load(tag, out + 2 * c * lanes);
    o1[c] = hn::Load(tag, out + (2 * c + 1) * lanes);
  }
  for (int64_t g = 0; g < groups; ++g) {
#pragma GCC unroll 6
    for (int j = 0; j < kColumns; ++j) {
      const Vector<T> k0 = hn::Load(tag, values), k1 = hn::Load(tag, values + lanes);
      values += 2 * lanes;
#pragma GCC unroll 6
      for (int c = 0; c < some; ++c) {
        const Vector<T> y = hn::Set(tag, rhs[c * kColumns + j]);
        o0[c] = hn::MulAdd(k0, y, o0[c]);
        o1[c] = hn::MulAdd(k1, y, o1[c]);
      }
    }
    rhs += r * kColumns;
  }
#pragma GCC unroll 6
  for (int c = 0; c < some; ++c) {
    hn::Store(o0[c], tag, out + 2 * c * lanes);
    hn::Store(o1[c], tag, out + (2 * c + 1) * lanes);
  }
}

/// The same for all r right-hand sides, four to six at a time if possible. With fewer, the multiply-adds would wait for
/// each other.
template <class T>
HWY_NOINLINE void multiply_rows(const T* values, int64_t groups, const T* rhs, int64_t r, T* out) {
  const int64_t width = 2 * int64_t(hn::Lanes(Tag<T>()));
  for (int64_t c = 0; c < r;) {
    const int64_t left = r - c;
    const T* y = rhs + c * kColumns;
    T* o = out + c * width;
    if (left == 6 || left == 10 || left >= 12) {
      multiply_rows<6>(values, groups, y, r, o);
      c += 6;
    } else if (left == 5 || left == 9 || left == 11) {
      multiply_rows<5>(values, groups, y, r, o);
      c += 5;
    } else if (left == 4 || left >= 7) {
      multiply_rows<4>(values, groups, y, r, o);
      c += 4;
    } else if (left == 3) {
      multiply_rows<3>(values, groups, y, r, o);
      c += 3;
    } else if (left == 2) {
      multiply_rows<2>(values, groups, y, r, o);
      c += 2;
    } else {
      multiply_rows<1>(values, groups, y, r, o);
      c += 1;
    }
  }
}

/// sums[c][j] += values' rhs, lane by lane, for one group, several panels and `some` of the r right-hand sides. The
/// values of the panels are `stride` apart. The rows of the panels are the inner dimension.
template <int some, class T>
HWY_NOINLINE void multiply_columns(const T* HWY_RESTRICT values, int64_t stride, int64_t panels,
                                   const T* HWY_RESTRICT rhs, int64_t r, T* HWY_RESTRICT sums) {
  const Tag<T> tag;
  const size_t lanes = hn::Lanes(tag);
  Vector<T> s[some][kColumns];
#pragma GCC unroll 2
  for (int c = 0; c < some; ++c)
#pragma GCC unroll 6
    for (int j = 0; j < kColumns; ++j) s[c][j] = hn::Load(tag, sums + (c * kColumns + j) * lanes);
  for (int64_t p = 0; p < panels; ++p) {
#pragma GCC unroll 2
    for (int h = 0; h < 2; ++h) {
      Vector<T> x[some];
#pragma GCC unroll 2
      for (int c = 0; c < some; ++c) x[c] = hn::Load(tag, rhs + (2 * c + h) * lanes);
#pragma GCC unroll 6
      for (int j = 0; j < kColumns; ++j) {
        const Vector<T> k = hn::Load(tag, values + (2 * j + h) * lanes);
#pragma GCC unroll 2
        for (int c = 0; c < some; ++c) s[c][j] = hn::MulAdd(k, x[c], s[c][j]);
      }
    }
    values += stride;
    rhs += 2 * r * lanes;
  }
#pragma GCC unroll 2
  for (int c = 0; c < some; ++c)
#pragma GCC unroll 6
    for (int j = 0; j < kColumns; ++j) hn::Store(s[c][j], tag, sums + (c * kColumns + j) * lanes);
}

/// For degrees, for one panel and several groups: out[0] += values rhs, and out[1] += squares rhs, with the squares of
/// the values. If `sums` is not null, the transposed sums are added, lane by lane, to sums[j][0] and sums[j][1].
template <class T>
HWY_NOINLINE void sum_values(const T* HWY_RESTRICT values, int64_t groups, const T* HWY_RESTRICT rhs,
                             T* HWY_RESTRICT out, const T* HWY_RESTRICT row_rhs, T* HWY_RESTRICT sums) {
  const Tag<T> tag;
  const size_t lanes = hn::Lanes(tag);
  // There are two accumulators of each kind, for even and odd columns, so that additions do not wait for each other.
  Vector<T> o0[2], o1[2], q0[2], q1[2];
  o0[0] = hn::Load(tag, out), o1[0] = hn::Load(tag, out + lanes);
  q0[0] = hn::Load(tag, out + 2 * lanes), q1[0] = hn::Load(tag, out + 3 * lanes);
  o0[1] = o1[1] = q0[1] = q1[1] = hn::Zero(tag);
  const bool transposed = sums != nullptr;
  const Vector<T> x0 = transposed ? hn::Load(tag, row_rhs) : hn::Zero(tag);
  const Vector<T> x1 = transposed ? hn::Load(tag, row_rhs + lanes) : hn::Zero(tag);
  for (int64_t j = 0; j < groups * kColumns; j += 2) {
#pragma GCC unroll 2
    for (int odd = 0; odd < 2; ++odd) {
      const Vector<T> k0 = hn::Load(tag, values), k1 = hn::Load(tag, values + lanes);
      values += 2 * lanes;
      const Vector<T> s0 = hn::Mul(k0, k0), s1 = hn::Mul(k1, k1), y = hn::Set(tag, rhs[j + odd]);
      o0[odd] = hn::MulAdd(k0, y, o0[odd]);
      o1[odd] = hn::MulAdd(k1, y, o1[odd]);
      q0[odd] = hn::MulAdd(s0, y, q0[odd]);
      q1[odd] = hn::MulAdd(s1, y, q1[odd]);
      if (!transposed) continue;
      hn::Store(hn::MulAdd(k1, x1, hn::MulAdd(k0, x0, hn::Load(tag, sums))), tag, sums);
      hn::Store(hn::MulAdd(s1, x1, hn::MulAdd(s0, x0, hn::Load(tag, sums + lanes))), tag, sums + lanes);
      sums += 2 * lanes;
    }
  }
  hn::Store(hn::Add(o0[0], o0[1]), tag, out);
  hn::Store(hn::Add(o1[0], o1[1]), tag, out + lanes);
  hn::Store(hn::Add(q0[0], q0[1]), tag, out + 2 * lanes);
  hn::Store(hn::Add(q1[0], q1[1]), tag, out + 3 * lanes);
}

/// Converts values to 16 bits (tile.h).
HWY_NOINLINE void keep_values(const float* HWY_RESTRICT values, int64_t vectors, uint16_t* HWY_RESTRICT kept) {
  const Tag<float> tag;
  const hn::RebindToUnsigned<Tag<float>> bits;
  const hn::Rebind<uint16_t, Tag<float>> half;
  const size_t lanes = hn::Lanes(tag);
  for (int64_t v = 0; v < vectors; ++v) {
    const auto rounded = hn::Add(hn::BitCast(bits, hn::Load(tag, values + v * lanes)), hn::Set(bits, 1u << 13));
    const auto high = hn::BitCast(hn::RebindToSigned<Tag<float>>(), hn::ShiftRight<14>(rounded));
    hn::Store(hn::DemoteTo(half, high), half, kept + v * lanes);
  }
}

/// Converts 16-bit values back to float.
HWY_NOINLINE void fetch_values(const uint16_t* HWY_RESTRICT kept, int64_t vectors, float* HWY_RESTRICT values) {
  const Tag<float> tag;
  const hn::RebindToUnsigned<Tag<float>> bits;
  const hn::Rebind<uint16_t, Tag<float>> half;
  const size_t lanes = hn::Lanes(tag);
  for (int64_t v = 0; v < vectors; ++v) {
    const auto high = hn::PromoteTo(bits, hn::Load(half, kept + v * lanes));
    hn::Store(hn::BitCast(tag, hn::ShiftLeft<14>(high)), tag, values + v * lanes);
  }
}

/// Whether any value of a panel and a group is above the threshold of its row or of its column.
template <class T>
HWY_INLINE bool any_above(const T* HWY_RESTRICT values, const T* HWY_RESTRICT row_least,
                          const T* HWY_RESTRICT column_least) {
  const Tag<T> tag;
  const size_t lanes = hn::Lanes(tag);
  const Vector<T> r0 = hn::LoadU(tag, row_least), r1 = hn::LoadU(tag, row_least + lanes);
  auto above = hn::Gt(hn::Zero(tag), hn::Zero(tag));
#pragma GCC unroll 6
  for (int j = 0; j < kColumns; ++j) {
    const Vector<T> y = hn::Set(tag, column_least[j]);
    const Vector<T> k0 = hn::Load(tag, values + 2 * j * lanes), k1 = hn::Load(tag, values + (2 * j + 1) * lanes);
    above = hn::Or(above, hn::Or(hn::Gt(k0, hn::Min(r0, y)), hn::Gt(k1, hn::Min(r1, y))));
  }
  return !hn::AllFalse(tag, above);
}

/// Calls f(i) for each row i of a panel if its value in one column is above the threshold of the row or of the column.
template <class T, class Function>
HWY_INLINE void for_each_above(const T* HWY_RESTRICT values, const T* HWY_RESTRICT row_least, T column_least,
                               const Function& f) {
  const Tag<T> tag;
  const size_t lanes = hn::Lanes(tag);
  const Vector<T> y = hn::Set(tag, column_least);
  for (size_t first = 0; first < 2 * lanes; first += lanes) {
    const auto above = hn::Gt(hn::Load(tag, values + first), hn::Min(hn::LoadU(tag, row_least + first), y));
    if (hn::AllFalse(tag, above)) continue;
    uint8_t bits[hn::MaxLanes(tag) / 8 + 8] = {};
    hn::StoreMaskBits(tag, above, bits);
    for (size_t i = 0; i < lanes; ++i)
      if (bits[i / 8] >> (i % 8) & 1) f(int64_t(first + i));
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace mbsc::simd
HWY_AFTER_NAMESPACE();

#endif  // include guard
