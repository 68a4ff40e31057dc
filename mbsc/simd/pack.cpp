// SPDX-License-Identifier: Apache-2.0
#include "mbsc/simd/pack.h"

#include "mbsc/simd/level.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "mbsc/simd/pack.cpp"
#include <hwy/foreach_target.h>
// Must come after foreach_target, which includes this file once for each level.
#include <hwy/highway.h>

#include "mbsc/simd/pack-inl.h"

#if HWY_ONCE
namespace mbsc::simd {
namespace {

HWY_EXPORT(pack_ff);
HWY_EXPORT(pack_fd);
HWY_EXPORT(pack_df);
HWY_EXPORT(pack_dd);

}  // namespace

#define MBSC_PACK(name, T, Source)                                                                                   \
  template <>                                                                                                        \
  void pack_piece<T, Source>(const Source* const* rows, int64_t count, int64_t features, const PackFormula& formula, \
                             int64_t width, T* piece) {                                                              \
    choose_level();                                                                                                  \
    HWY_DYNAMIC_DISPATCH(name)(rows, count, features, formula, width, piece);                                        \
  }
MBSC_PACK(pack_ff, float, float)
MBSC_PACK(pack_fd, float, double)
MBSC_PACK(pack_df, double, float)
MBSC_PACK(pack_dd, double, double)
#undef MBSC_PACK

}  // namespace mbsc::simd
#endif
