// SPDX-License-Identifier: Apache-2.0
#include "mbsc/simd/near_pairs.h"

#include "mbsc/simd/level.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "mbsc/simd/near_pairs.cpp"
#include <hwy/foreach_target.h>
// Must come after foreach_target, which includes this file once for each level.
#include <hwy/highway.h>

#include "mbsc/simd/near_pairs-inl.h"
#include "mbsc/simd/pack_set-inl.h"

#if HWY_ONCE
namespace mbsc::simd {
namespace {

HWY_EXPORT(run_pack_set);
HWY_EXPORT(run_pairs);
HWY_EXPORT(run_nearest_of);
HWY_EXPORT(run_keep_unknown);
HWY_EXPORT(run_sort_keys);

}  // namespace

void pack_set(const RowsOf& points, const float* center, Layout layout, PackedSet& out) {
  choose_level();
  HWY_DYNAMIC_DISPATCH(run_pack_set)(points, center, layout, out);
}
void compare_pairs(const PairTile& tile) {
  choose_level();
  HWY_DYNAMIC_DISPATCH(run_pairs)(tile);
}
void nearest_of(const PackedSet& leaders, const PackedSet& points, int64_t first, int64_t count, int64_t wanted,
                int32_t* out, AlignedVector<float>& scratch) {
  choose_level();
  HWY_DYNAMIC_DISPATCH(run_nearest_of)(leaders, points, first, count, wanted, out, scratch);
}
int64_t keep_unknown(const int32_t* list, int64_t size, float limit, Candidate* candidates, int64_t count) {
  choose_level();
  return HWY_DYNAMIC_DISPATCH(run_keep_unknown)(list, size, limit, candidates, count);
}
void sort_keys(int64_t* keys, int64_t count, int64_t* out) {
  choose_level();
  HWY_DYNAMIC_DISPATCH(run_sort_keys)(keys, count, out);
}

}  // namespace mbsc::simd
#endif
