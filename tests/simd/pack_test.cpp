// SPDX-License-Identifier: Apache-2.0
#include "mbsc/simd/pack.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace mbsc::simd {
namespace {

/// Arbitrary numbers of both signs that are not integers.
double number(int64_t i) { return std::sin(double(i) * 12.9898) * 43.7; }

/// Packs `count` rows and compares with the formula of pack.h. Entries beyond these rows must not be written.
template <class T, class Source>
void expect_formula(int64_t count, int64_t features, int64_t width, bool with_lengths) {
  std::vector<std::vector<Source>> rows(static_cast<size_t>(count));
  std::vector<const Source*> pointers;
  for (int64_t i = 0; i < count; ++i) {
    for (int64_t f = 0; f < features; ++f) rows[size_t(i)].push_back(Source(number(i * 1000 + f)));
    pointers.push_back(rows[size_t(i)].data());
  }
  std::vector<double> offset, factor, lengths;
  for (int64_t f = 0; f < features; ++f) {
    offset.push_back(number(f + 7));
    factor.push_back(number(f + 77));
  }
  for (int64_t i = 0; i < count; ++i) lengths.push_back(number(i + 777));
  const T untouched = T(-1e30);
  std::vector<T> piece(size_t(features * width + 1), untouched);
  pack_piece<T, Source>(pointers.data(), count, features,
                        {offset.data(), factor.data(), with_lengths ? lengths.data() : nullptr}, width, piece.data());
  for (int64_t f = 0; f < features; ++f)
    for (int64_t i = 0; i < width; ++i) {
      const T packed = piece[size_t(f * width + i)];
      if (i >= count) {
        ASSERT_EQ(packed, untouched);
        continue;
      }
      const double scaled = (double(rows[size_t(i)][size_t(f)]) - offset[size_t(f)]) * factor[size_t(f)];
      ASSERT_EQ(packed, T(with_lengths ? scaled * lengths[size_t(i)] : scaled))
          << "row " << i << " of " << count << ", feature " << f << " of " << features << ", width " << width;
    }
  ASSERT_EQ(piece.back(), untouched);
}

TEST(Pack, HasTheBitsOfTheFormulaForAnyShapeAndType) {
  for (const int64_t width : {2, 4, 6, 8, 16, 32, 64})
    for (const int64_t count : {width, width - 1, int64_t{1}})
      for (const int64_t features : {1, 2, 3, 4, 5, 7, 9, 16, 31, 32, 33, 54, 70})
        for (const bool with_lengths : {false, true}) {
          expect_formula<float, float>(count, features, width, with_lengths);
          expect_formula<float, double>(count, features, width, with_lengths);
          expect_formula<double, float>(count, features, width, with_lengths);
          expect_formula<double, double>(count, features, width, with_lengths);
        }
}

}  // namespace
}  // namespace mbsc::simd
