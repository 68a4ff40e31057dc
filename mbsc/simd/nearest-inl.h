// SPDX-License-Identifier: Apache-2.0
// The loops of nearest.h, compiled once for each SIMD level.
#if defined(MBSC_SIMD_NEAREST_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MBSC_SIMD_NEAREST_INL_H_
#undef MBSC_SIMD_NEAREST_INL_H_
#else
#define MBSC_SIMD_NEAREST_INL_H_
#endif

#include <hwy/highway.h>

#include <limits>

HWY_BEFORE_NAMESPACE();
namespace mbsc::simd {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Finds the nearest centers of two vectors of rows of one group, starting at `x`.
template <class T>
HWY_INLINE void nearest_of_two(const T* HWY_RESTRICT x, int64_t columns, const T* HWY_RESTRICT centers, int64_t count,
                               int32_t* HWY_RESTRICT labels) {
  const hn::CappedTag<T, rows_of_group / 2> tag;
  const size_t lanes = hn::Lanes(tag);
  auto best0 = hn::Set(tag, std::numeric_limits<T>::infinity()), best1 = best0;
  auto label0 = hn::Zero(tag), label1 = label0;
  for (int64_t c = 0; c < count; ++c, centers += columns) {
    auto sum0 = hn::Zero(tag), sum1 = sum0;
    const T* from = x;
    for (int64_t f = 0; f < columns; ++f, from += rows_of_group) {
      const auto center = hn::Set(tag, centers[f]);
      const auto difference0 = hn::Sub(hn::Load(tag, from), center);
      const auto difference1 = hn::Sub(hn::Load(tag, from + lanes), center);
      sum0 = hn::Add(sum0, hn::Mul(difference0, difference0));
      sum1 = hn::Add(sum1, hn::Mul(difference1, difference1));
    }
    const auto number = hn::Set(tag, T(c));
    label0 = hn::IfThenElse(hn::Lt(sum0, best0), number, label0);
    label1 = hn::IfThenElse(hn::Lt(sum1, best1), number, label1);
    best0 = hn::Min(best0, sum0);
    best1 = hn::Min(best1, sum1);
  }
  HWY_ALIGN T numbers[rows_of_group];
  hn::Store(label0, tag, numbers);
  hn::Store(label1, tag, numbers + lanes);
  for (size_t i = 0; i < 2 * lanes; ++i) labels[i] = int32_t(numbers[i]);
}

template <class T>
void run_nearest(const T* groups, int64_t group_count, int64_t columns, const T* centers, int64_t count,
                 int32_t* labels) {
  const auto step = int64_t(2 * hn::Lanes(hn::CappedTag<T, rows_of_group / 2>()));
  for (int64_t g = 0; g < group_count; ++g)
    for (int64_t i = 0; i < rows_of_group; i += step)
      nearest_of_two(groups + g * columns * rows_of_group + i, columns, centers, count, labels + g * rows_of_group + i);
}

void nearest_float(const float* groups, int64_t group_count, int64_t columns, const float* centers, int64_t count,
                   int32_t* labels) {
  run_nearest(groups, group_count, columns, centers, count, labels);
}
void nearest_double(const double* groups, int64_t group_count, int64_t columns, const double* centers, int64_t count,
                    int32_t* labels) {
  run_nearest(groups, group_count, columns, centers, count, labels);
}

}  // namespace HWY_NAMESPACE
}  // namespace mbsc::simd
HWY_AFTER_NAMESPACE();

#endif  // include guard
