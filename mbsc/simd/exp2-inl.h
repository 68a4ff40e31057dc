// SPDX-License-Identifier: Apache-2.0
// 2^-t for t >= 0, the exponential of every kernel: t = n + g with n whole and |g| <= 1/2, 2^-g by a polynomial,
// 2^-n by adding -n to the exponent field. 2^0 is 1 exactly. Where the result would be subnormal
// (t > 126 in float, t > 1022 in double) it is 0: such affinities would only slow the tile down.
// Largest relative error: 1.2e-7 in float (one unit in the last place), 4e-16 in double.
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

/// 2^-g on [-1/2, 1/2] as 1 + g q(g), q fitted for the least largest relative error of the whole.
template <class D, class V>
HWY_INLINE V polynomial(D d, V g, float) {
  V p = hn::Set(d, 0.0001535338003797477f);
  p = hn::MulAdd(p, g, hn::Set(d, -0.0013398874503507963f));
  p = hn::MulAdd(p, g, hn::Set(d, 0.009618437291045577f));
  p = hn::MulAdd(p, g, hn::Set(d, -0.055503324707801505f));
  p = hn::MulAdd(p, g, hn::Set(d, 0.24022647914192724f));
  p = hn::MulAdd(p, g, hn::Set(d, -0.6931472028553793f));
  return hn::MulAdd(p, g, hn::Set(d, 1.0f));
}

/// Taylor's coefficients (-ln 2)^k / k! to k = 13: the first one left out adds 2e-18.
template <class D, class V>
HWY_INLINE V polynomial(D d, V g, double) {
  constexpr double c[] = {1.0,
                          -0x1.62e42fefa39efp-1,
                          0x1.ebfbdff82c58fp-3,
                          -0x1.c6b08d704a0cp-5,
                          0x1.3b2ab6fba4e77p-7,
                          -0x1.5d87fe78a6731p-10,
                          0x1.430912f86c787p-13,
                          -0x1.ffcbfc588b0c7p-17,
                          0x1.62c0223a5c824p-20,
                          -0x1.b5253d395e7c4p-24,
                          0x1.e4cf5158b8ecap-28,
                          -0x1.e8cac7351bb25p-32,
                          0x1.c3bd650fc2986p-36,
                          -0x1.816193166d0f9p-40};
  V p = hn::Set(d, c[13]);
  for (int i = 12; i >= 0; --i) p = hn::MulAdd(p, g, hn::Set(d, c[i]));
  return p;
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V exp2_of_negative(D d, V t) {
  using T = hn::TFromD<D>;
  constexpr bool single = sizeof(T) == 4;
  constexpr int mantissa = single ? 23 : 52;
  const V smallest = hn::Set(d, T(single ? 126 : 1022));
  // Adding 1.5 * 2^mantissa leaves the nearest whole number in the lowest bits.
  const V magic = hn::Set(d, T(single ? 12582912.0 : 6755399441055744.0));
  const V clamped = hn::Min(t, smallest);
  const V shifted = hn::Sub(magic, clamped);
  const V g = hn::Add(clamped, hn::Sub(shifted, magic));
  const hn::RebindToSigned<D> whole;
  const auto power = hn::ShiftLeft<mantissa>(hn::BitCast(whole, shifted));
  const V value = hn::BitCast(d, hn::Add(hn::BitCast(whole, polynomial(d, g, T{})), power));
  return hn::IfThenZeroElse(hn::Gt(t, smallest), value);
}

}  // namespace HWY_NAMESPACE
}  // namespace mbsc::simd
HWY_AFTER_NAMESPACE();

#endif  // include guard
