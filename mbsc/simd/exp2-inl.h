// SPDX-License-Identifier: Apache-2.0
// 2^-t for t >= 0, the exponential of every kernel. Let t = n + g with an integer n and |g| <= 1/2. A polynomial gives
// 2 * 2^-g. The result is this polynomial times 2^(-n-1). The exponent field of 2^(-n-1) is 126 - n (1022 - n in
// double). If t >= 125.5 (1021.5 in double), this field is 0, and so is the result. The result is never subnormal,
// because subnormal numbers would slow the tile down. 2^0 is exactly 1.
// Largest relative error: 1.6e-7 in float (1.3 units in the last place), 4e-16 in double.
// clang-format off
#if defined(MBSC_SIMD_EXP2_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MBSC_SIMD_EXP2_INL_H_
#undef MBSC_SIMD_EXP2_INL_H_
#else
#define MBSC_SIMD_EXP2_INL_H_
#endif
// clang-format on

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace mbsc::simd {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// The coefficients of a polynomial for 2^-g on [-1/2, 1/2], highest power first; exp2_join() doubles them.
/// Float: 1 + g q(g), with q fitted to minimize the largest relative error of 1 + g q(g). Double: the Taylor
/// coefficients (-ln 2)^k / k! up to k = 13; the first omitted term adds 2e-18.
template <class T>
struct Exp2Coefficients;
template <>
struct Exp2Coefficients<float> {
  static constexpr float values[] = {-0.0013274633f, 0.009671962f, -0.055506784f, 0.24022235f, -0.69314706f, 1.0f};
};
template <>
struct Exp2Coefficients<double> {
  static constexpr double values[] = {-0x1.816193166d0f9p-40, 0x1.c3bd650fc2986p-36,
                                      -0x1.e8cac7351bb25p-32, 0x1.e4cf5158b8ecap-28,
                                      -0x1.b5253d395e7c4p-24, 0x1.62c0223a5c824p-20,
                                      -0x1.ffcbfc588b0c7p-17, 0x1.430912f86c787p-13,
                                      -0x1.5d87fe78a6731p-10, 0x1.3b2ab6fba4e77p-7,
                                      -0x1.c6b08d704a0cp-5,   0x1.ebfbdff82c58fp-3,
                                      -0x1.62e42fefa39efp-1,  1.0};
};

/// Computes 2^-(n+g) for `count` adjacent vectors from g (`rest`) and 2^(-n-1) (`power`). The results overwrite
/// `power`.
template <int count, class D, class T = hn::TFromD<D>, class V = hn::Vec<D>>
HWY_INLINE void exp2_join(D d, const T* HWY_RESTRICT rest, T* HWY_RESTRICT power) {
  constexpr auto& c = Exp2Coefficients<T>::values;
  constexpr int terms = int(sizeof(c) / sizeof(c[0]));
  const size_t lanes = hn::Lanes(d);
  V g[count], p[count];
#pragma GCC unroll 12
  for (int v = 0; v < count; ++v) {
    g[v] = hn::Load(d, rest + v * lanes);
    p[v] = hn::MulAdd(g[v], hn::Set(d, 2 * c[0]), hn::Set(d, 2 * c[1]));
  }
#pragma GCC unroll 12
  for (int k = 2; k < terms; ++k)
#pragma GCC unroll 12
    for (int v = 0; v < count; ++v) p[v] = hn::MulAdd(p[v], g[v], hn::Set(d, 2 * c[k]));
#pragma GCC unroll 12
  for (int v = 0; v < count; ++v) hn::Store(hn::Mul(p[v], hn::Load(d, power + v * lanes)), d, power + v * lanes);
}

/// The two parts of an exponent t = n + g: `rest` is g, `power` is 2^(-n-1).
template <class V>
struct Split {
  V rest, power;
};

/// Splits t = n + g. A t that is negative because of rounding counts as 0.
template <class D, class V = hn::Vec<D>>
HWY_INLINE Split<V> split_exponent(D d, V t) {
  using T = hn::TFromD<D>;
  constexpr bool single = sizeof(T) == 4;
  const hn::RebindToSigned<D> whole;
  const V most = hn::Set(d, T(single ? 126 : 1022));
  if constexpr (single)  // compare as integers: nonnegative floats have the same order as their bits
    t = hn::BitCast(d, hn::Min(hn::Max(hn::BitCast(whole, t), hn::Zero(whole)), hn::BitCast(whole, most)));
  else
    t = hn::Min(hn::Max(t, hn::Zero(d)), most);
  // The difference 1.5 * 2^23 + 126 - t (1.5 * 2^52 + 1022 - t in double) is rounded to an integer. Its lowest bits are
  // then 126 - n (1022 - n), the exponent field of 2^(-n-1).
  const V magic = hn::Set(d, T(single ? 12582912.0 + 126 : 6755399441055744.0 + 1022));
  const V shifted = hn::Sub(magic, t);
  return {hn::Add(t, hn::Sub(shifted, magic)),
          hn::BitCast(d, hn::ShiftLeft < single ? 23 : 52 > (hn::BitCast(whole, shifted)))};
}

}  // namespace HWY_NAMESPACE
}  // namespace mbsc::simd
HWY_AFTER_NAMESPACE();

#endif  // include guard
