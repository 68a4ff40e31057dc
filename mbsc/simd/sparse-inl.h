// SPDX-License-Identifier: Apache-2.0
// clang-format off
#if defined(MBSC_SIMD_SPARSE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MBSC_SIMD_SPARSE_INL_H_
#undef MBSC_SIMD_SPARSE_INL_H_
#else
#define MBSC_SIMD_SPARSE_INL_H_
#endif
// clang-format on

#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace mbsc::simd {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// `some` vectors of columns at a time, so that the sums stay in registers.
template <int some>
HWY_INLINE void sparse_columns(const float* HWY_RESTRICT values, const int32_t* HWY_RESTRICT indices, int64_t count,
                               const float* HWY_RESTRICT V, int64_t stride, float* HWY_RESTRICT out) {
  const hn::ScalableTag<float> tag;
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
  const auto lanes = int64_t(hn::Lanes(hn::ScalableTag<float>()));
  int64_t c = 0;
  for (; c + 4 * lanes <= columns; c += 4 * lanes) sparse_columns<4>(values, indices, count, V + c, stride, out + c);
  for (; c + 2 * lanes <= columns; c += 2 * lanes) sparse_columns<2>(values, indices, count, V + c, stride, out + c);
  for (; c + lanes <= columns; c += lanes) sparse_columns<1>(values, indices, count, V + c, stride, out + c);
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
