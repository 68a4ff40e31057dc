// SPDX-License-Identifier: Apache-2.0
#include "mbsc/simd/distance.h"

#include "mbsc/simd/level.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "mbsc/simd/distance.cpp"
#include <hwy/foreach_target.h>
// Must come after foreach_target, which includes this file once for each level.
#include <hwy/highway.h>

#include "mbsc/simd/distance-inl.h"

#if HWY_ONCE
namespace mbsc::simd {
namespace {

HWY_EXPORT(distances_float);

}  // namespace

void squared_distances(const float* x, const float* rows, int64_t stride, const int32_t* ids, int64_t count,
                       int64_t features, float* out) {
  choose_level();
  HWY_DYNAMIC_DISPATCH(distances_float)(x, rows, stride, ids, count, features, out);
}

}  // namespace mbsc::simd
#endif
