// SPDX-License-Identifier: Apache-2.0
#include "mbsc/simd/tile.h"

#include <algorithm>
#include <cmath>

#include "mbsc/simd/level.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "mbsc/simd/tile.cpp"
#include <hwy/foreach_target.h>
// Must come after foreach_target, which includes this file once for each level.
#include <hwy/highway.h>

#include "mbsc/simd/tile-inl.h"

#if HWY_ONCE
namespace mbsc::simd {
namespace {

HWY_EXPORT(run_float);
HWY_EXPORT(run_double);
HWY_EXPORT(norms_float);
HWY_EXPORT(norms_double);
HWY_EXPORT(panel_rows_float);
HWY_EXPORT(panel_rows_double);
HWY_EXPORT(current_level);

}  // namespace

template <>
int panel_rows<float>() {
  choose_level();
  return HWY_DYNAMIC_DISPATCH(panel_rows_float)();
}
template <>
int panel_rows<double>() {
  choose_level();
  return HWY_DYNAMIC_DISPATCH(panel_rows_double)();
}
const char* level_name() {
  choose_level();
  return hwy::TargetName(HWY_DYNAMIC_DISPATCH(current_level)());
}

template <class T>
void Packed<T>::resize(int64_t count_, int64_t features_, int64_t width_) {
  count = count_;
  features = features_;
  width = width_;
  const int64_t size = pieces() * features * width;
  values.resize(static_cast<size_t>(size + packed_room));
  norms.resize(static_cast<size_t>(pieces() * width));
  if (count % width != 0)  // the padding of the last piece
    std::fill(values.begin() + size - features * width, values.end(), T{});
}
template <>
void Packed<float>::compute_norms(int64_t first_piece, int64_t some) {
  HWY_DYNAMIC_DISPATCH(norms_float)(*this, first_piece, some);
}
template <>
void Packed<double>::compute_norms(int64_t first_piece, int64_t some) {
  HWY_DYNAMIC_DISPATCH(norms_double)(*this, first_piece, some);
}
template void Packed<float>::resize(int64_t, int64_t, int64_t);
template void Packed<double>::resize(int64_t, int64_t, int64_t);

void run(Task task, const Tile<float>& tile) { HWY_DYNAMIC_DISPATCH(run_float)(task, tile); }
void run(Task task, const Tile<double>& tile) { HWY_DYNAMIC_DISPATCH(run_double)(task, tile); }

}  // namespace mbsc::simd
#endif
