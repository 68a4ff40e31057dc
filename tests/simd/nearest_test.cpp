// SPDX-License-Identifier: Apache-2.0
#include "mbsc/simd/nearest.h"

#include <gtest/gtest.h>

#include "mbsc/base/aligned.h"
#include "mbsc/base/random.h"

namespace mbsc {
namespace {

template <class T>
class NearestOf : public ::testing::Test {};
using Precisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(NearestOf, Precisions);

/// The nearest center of x, by a plain search: sums run in the order of the features, and ties go to the lowest center.
/// Every SIMD level must give the same labels.
template <class T>
int32_t nearest(const std::vector<T>& x, const std::vector<T>& centers, int64_t count) {
  const auto columns = int64_t(x.size());
  int32_t label = 0;
  T least = 0;
  for (int64_t c = 0; c < count; ++c) {
    T sum = 0;
    for (int64_t f = 0; f < columns; ++f) {
      const T difference = x[size_t(f)] - centers[size_t(c * columns + f)];
      const volatile T square = difference * difference;  // volatile: no fused multiply-add
      sum = sum + square;
    }
    if (c == 0 || sum < least) {
      least = sum;
      label = int32_t(c);
    }
  }
  return label;
}

TYPED_TEST(NearestOf, HasTheLabelsOfAPlainSearchToTheBit) {
  using T = TypeParam;
  constexpr int64_t each = simd::rows_of_group;
  const Random random(4, Stream::test);
  for (const int64_t groups : {1, 3})
    for (const int64_t columns : {1, 2, 5, 10, 17})
      for (const int64_t count : {1, 2, 9, 40})
        for (const bool coarse : {false, true}) {  // coarse grid: many rows have several nearest centers
          const auto draw = [&](int64_t i, int64_t key) {
            return coarse ? T(random.below(4, i, key)) : T(random.normal(i, key));
          };
          AlignedVector<T> rows(size_t(groups * columns * each));
          for (size_t i = 0; i < rows.size(); ++i) rows[i] = draw(int64_t(i), 1);
          std::vector<T> centers(size_t(count * columns));
          for (size_t i = 0; i < centers.size(); ++i) centers[i] = draw(int64_t(i), 2);
          std::vector<int32_t> labels(size_t(groups * each));
          simd::find_nearest<T>(rows.data(), groups, columns, centers.data(), count, labels.data());
          for (int64_t i = 0; i < groups * each; ++i) {
            std::vector<T> x;
            for (int64_t f = 0; f < columns; ++f) x.push_back(rows[size_t((i / each * columns + f) * each + i % each)]);
            ASSERT_EQ(labels[size_t(i)], nearest(x, centers, count)) << columns << " columns, " << count << " centers";
          }
        }
}

}  // namespace
}  // namespace mbsc
