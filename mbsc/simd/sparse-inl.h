// SPDX-License-Identifier: Apache-2.0
// The loops of sparse.h, compiled once for each SIMD level.
// clang-format off
#if defined(MBSC_SIMD_SPARSE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MBSC_SIMD_SPARSE_INL_H_
#undef MBSC_SIMD_SPARSE_INL_H_
#else
#define MBSC_SIMD_SPARSE_INL_H_
#endif
// clang-format on

#include <hwy/highway.h>

#include <cstdint>
#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace mbsc::simd {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Computes `some` vectors of columns of the product. They are few, so their sums stay in registers.
template <int some, class Tag>
HWY_INLINE void sparse_columns(Tag tag, const float* HWY_RESTRICT values, const int32_t* HWY_RESTRICT indices,
                               int64_t count, const float* HWY_RESTRICT V, int64_t stride, float* HWY_RESTRICT out) {
  const auto lanes = int64_t(hn::Lanes(tag));
  hn::Vec<decltype(tag)> sums[some];
#pragma GCC unroll 4
  for (int v = 0; v < some; ++v) sums[v] = hn::Zero(tag);
  for (int64_t e = 0; e < count; ++e) {
    const float* HWY_RESTRICT row = V + int64_t(indices[e]) * stride;
    const auto value = hn::Set(tag, values[e]);
#pragma GCC unroll 4
    for (int v = 0; v < some; ++v) sums[v] = hn::MulAdd(value, hn::LoadU(tag, row + v * lanes), sums[v]);
  }
#pragma GCC unroll 4
  for (int v = 0; v < some; ++v) hn::StoreU(sums[v], tag, out + v * lanes);
}

void sparse_row_float(const float* HWY_RESTRICT values, const int32_t* HWY_RESTRICT indices, int64_t count,
                      const float* HWY_RESTRICT V, int64_t stride, int64_t columns, float* HWY_RESTRICT out) {
  int64_t c = 0;
  const auto take = [&](auto tag, auto some) {
    const int64_t width = some * int64_t(hn::Lanes(tag));
    for (; c + width <= columns; c += width) sparse_columns<some>(tag, values, indices, count, V + c, stride, out + c);
  };
  const hn::ScalableTag<float> whole;
  take(whole, std::integral_constant<int, 4>());
  take(whole, std::integral_constant<int, 2>());
  take(whole, std::integral_constant<int, 1>());
  take(hn::CappedTag<float, 8>(), std::integral_constant<int, 1>());  // the remaining columns, with shorter vectors
  take(hn::CappedTag<float, 4>(), std::integral_constant<int, 1>());
  for (; c < columns; ++c) {
    float sum = 0;
    for (int64_t e = 0; e < count; ++e) sum += values[e] * V[int64_t(indices[e]) * stride + c];
    out[c] = sum;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace mbsc::simd
HWY_AFTER_NAMESPACE();

#endif  // include guard
