// SPDX-License-Identifier: Apache-2.0
// The loop of distance.h, compiled once for each SIMD level.
// clang-format off
#if defined(MBSC_SIMD_DISTANCE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MBSC_SIMD_DISTANCE_INL_H_
#undef MBSC_SIMD_DISTANCE_INL_H_
#else
#define MBSC_SIMD_DISTANCE_INL_H_
#endif
// clang-format on

#include <hwy/highway.h>

#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace mbsc::simd {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

void distances_float(const float* HWY_RESTRICT x, const float* HWY_RESTRICT rows, int64_t stride,
                     const int32_t* HWY_RESTRICT ids, int64_t count, int64_t features, float* HWY_RESTRICT out) {
  const hn::ScalableTag<float> tag;
  const auto lanes = int64_t(hn::Lanes(tag));
  for (int64_t j = 0; j < count; ++j) {
    const float* HWY_RESTRICT y = rows + ids[j] * stride;
    auto even = hn::Zero(tag), odd = hn::Zero(tag);
    int64_t f = 0;
    for (; f + 2 * lanes <= features; f += 2 * lanes) {
      const auto u = hn::Sub(hn::LoadU(tag, x + f), hn::LoadU(tag, y + f));
      const auto v = hn::Sub(hn::LoadU(tag, x + f + lanes), hn::LoadU(tag, y + f + lanes));
      even = hn::MulAdd(u, u, even);
      odd = hn::MulAdd(v, v, odd);
    }
    if (f + lanes <= features) {
      const auto u = hn::Sub(hn::LoadU(tag, x + f), hn::LoadU(tag, y + f));
      even = hn::MulAdd(u, u, even);
      f += lanes;
    }
    float sum = hn::GetLane(hn::SumOfLanes(tag, hn::Add(even, odd)));
    for (; f < features; ++f) sum += (x[f] - y[f]) * (x[f] - y[f]);
    out[j] = sum;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace mbsc::simd
HWY_AFTER_NAMESPACE();

#endif  // include guard
