// SPDX-License-Identifier: Apache-2.0
#include "mbsc/simd/sparse.h"

#include "mbsc/simd/level.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "mbsc/simd/sparse.cpp"
#include <hwy/foreach_target.h>
// Must come after foreach_target, which includes this file once for each level.
#include <hwy/highway.h>

#include "mbsc/simd/sparse-inl.h"

#if HWY_ONCE
namespace mbsc::simd {
namespace {

HWY_EXPORT(sparse_row_float);

}  // namespace

void sparse_row(const float* values, const int32_t* indices, int64_t count, const float* V, int64_t stride,
                int64_t columns, float* out) {
  HWY_DYNAMIC_DISPATCH(sparse_row_float)(values, indices, count, V, stride, columns, out);
}

}  // namespace mbsc::simd
#endif
