// SPDX-License-Identifier: Apache-2.0
// Table: the view of its coordinates.
#include "mbsc/read.h"

#include <gtest/gtest.h>

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

TEST(Table, PointsAreAViewOfTheBufferInBothOrders) {
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

}  // namespace
}  // namespace mbsc::testing
