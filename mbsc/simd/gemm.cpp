// SPDX-License-Identifier: Apache-2.0
#include "mbsc/simd/gemm.h"

#include "mbsc/simd/level.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "mbsc/simd/gemm.cpp"
#include <hwy/foreach_target.h>
// Must come after foreach_target, which includes this file once for each level.
#include <hwy/highway.h>

#include "mbsc/simd/gemm-inl.h"

#if HWY_ONCE
namespace mbsc::simd {
namespace {

HWY_EXPORT(gemm_float);
HWY_EXPORT(gemm_float_to_double);
HWY_EXPORT(gemm_widened);
HWY_EXPORT(gemm_double);

}  // namespace

#define MBSC_GEMM(name, Compute, Source, Dest)                                                                     \
  template <>                                                                                                      \
  void gemm<Compute, Source, Dest>(int64_t rows, int64_t columns, int64_t depth, Compute alpha, Strided<Source> A, \
                                   Strided<Source> B, Dest * C, int64_t stride) {                                  \
    choose_level();                                                                                                \
    HWY_DYNAMIC_DISPATCH(name)(rows, columns, depth, alpha, A, B, C, stride);                                      \
  }
MBSC_GEMM(gemm_float, float, float, float)
MBSC_GEMM(gemm_float_to_double, float, float, double)
MBSC_GEMM(gemm_widened, double, float, double)
MBSC_GEMM(gemm_double, double, double, double)
#undef MBSC_GEMM

}  // namespace mbsc::simd
#endif
