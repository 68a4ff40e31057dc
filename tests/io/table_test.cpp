// SPDX-License-Identifier: Apache-2.0
#include "mbsc/io/table.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "mbsc/base/random.h"
#include "tests/io/temporary_folder.h"

namespace mbsc::testing {
namespace {

Table table_of(const Matrix<double>& values, ScalarType type, bool column_major) {
  Table table;
  table.rows = values.rows();
  table.features = values.cols();
  table.type = type;
  table.column_major = column_major;
  table.buffer.reset(std::malloc(static_cast<size_t>(table.memory_bytes())));
  for (int64_t i = 0; i < table.rows; ++i) {
    for (int64_t f = 0; f < table.features; ++f) {
      const int64_t at = column_major ? f * table.rows + i : i * table.features + f;
      if (type == ScalarType::float32) {
        static_cast<float*>(table.buffer.get())[at] = static_cast<float>(values(i, f));
      } else {
        static_cast<double*>(table.buffer.get())[at] = values(i, f);
      }
    }
  }
  return table;
}

TEST(Table, PointsAreAViewInEitherOrder) {
  Matrix<double> values(2, 3);
  for (int64_t i = 0; i < 6; ++i) values.data()[i] = 0.1 * static_cast<double>(i);
  for (const bool column_major : {false, true}) {
    Table table = table_of(values, ScalarType::float64, column_major);
    table.first_row = 5;
    const Points points = table.points();
    EXPECT_EQ(points.data, table.buffer.get());
    EXPECT_EQ(points.first_row, 5);
    for (int64_t i = 0; i < 2; ++i) {
      for (int64_t f = 0; f < 3; ++f) EXPECT_EQ(points(i, f), values(i, f));
    }
  }
}

// 70000 x 3 values are more than three of the blocks that round_to_float32 works in.
TEST(Table, RoundingScalesInDoubleForEveryLayout) {
  const Random random(1, Stream::test);
  Matrix<double> values(70000, 3);
  for (int64_t i = 0; i < values.size(); ++i) {
    values.data()[i] =
        static_cast<double>(static_cast<float>(random.normal(static_cast<uint64_t>(i))));
  }
  const std::vector<double> shift = {0.1, -20, 3e5}, scale = {1.0 / 3, 7, 1e-3};
  for (const ScalarType type : {ScalarType::float32, ScalarType::float64}) {
    for (const bool column_major : {false, true}) {
      Table table = table_of(values, type, column_major);
      table.round_to_float32(shift, scale, 2);
      ASSERT_EQ(table.type, ScalarType::float32);
      const Points points = table.points();
      for (int64_t i = 0; i < values.rows(); ++i) {
        for (int64_t f = 0; f < 3; ++f) {
          const auto c = static_cast<size_t>(f);
          const float expected = static_cast<float>((values(i, f) - shift[c]) * scale[c]);
          ASSERT_EQ(static_cast<float>(points.raw(i, f)), expected) << i << ", " << f;
        }
      }
    }
  }
}

TEST(Table, RoundingWithoutShiftAndScaleOnlyRounds) {
  Matrix<double> values(1, 2);
  values(0, 0) = 0.1;
  values(0, 1) = -2;
  Table table = table_of(values, ScalarType::float64, false);
  table.round_to_float32({}, {}, 1);
  EXPECT_EQ(rows_of(table), (Rows{{static_cast<double>(0.1f), -2}}));
  EXPECT_EQ(table.memory_bytes(), 8);
}

TEST(Table, RoundingRefusesWhatDoesNotFit) {
  Matrix<double> values(2, 2);
  values(1, 0) = 1e300;
  Table table = table_of(values, ScalarType::float64, false);
  EXPECT_EQ(error_of([&] { table.round_to_float32({}, {}, 1); }),
            "row 2, feature 1: 1e+300 is too large for float32 after scaling");
  EXPECT_EQ(error_of([&] { table.round_to_float32({1}, {}, 1); }),
            "shift must have 2 values; got 1");
}

}  // namespace
}  // namespace mbsc::testing
