// SPDX-License-Identifier: Apache-2.0
#include "mbsc/simd/nearest.h"

#include "mbsc/simd/level.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "mbsc/simd/nearest.cpp"
#include <hwy/foreach_target.h>
// Must come after foreach_target, which includes this file once for each level.
#include <hwy/highway.h>

#include "mbsc/simd/nearest-inl.h"

#if HWY_ONCE
namespace mbsc::simd {
namespace {

HWY_EXPORT(nearest_float);
HWY_EXPORT(nearest_double);

}  // namespace

template <>
void find_nearest(const float* groups, int64_t group_count, int64_t columns, const float* centers, int64_t count,
                  int32_t* labels) {
  choose_level();
  HWY_DYNAMIC_DISPATCH(nearest_float)(groups, group_count, columns, centers, count, labels);
}
template <>
void find_nearest(const double* groups, int64_t group_count, int64_t columns, const double* centers, int64_t count,
                  int32_t* labels) {
  choose_level();
  HWY_DYNAMIC_DISPATCH(nearest_double)(groups, group_count, columns, centers, count, labels);
}

}  // namespace mbsc::simd
#endif
