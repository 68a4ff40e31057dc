// SPDX-License-Identifier: Apache-2.0
// Reading NPY arrays.
#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "tests/io/temporary_folder.h"

namespace mbsc::testing {
namespace {

std::string npy(const std::string& descr, const std::string& shape, const std::string& bytes, bool fortran = false,
                int version = 1) {
  const std::string dict =
      fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': {}, }}\n", descr, fortran ? "True" : "False", shape);
  std::string file = std::string("\x93NUMPY") + static_cast<char>(version) + '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i) file += static_cast<char>(dict.size() >> 8 * i & 0xff);
  return file + dict + bytes;
}

template <class T>
std::string bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

class Npy : public ::testing::Test {
 protected:
  Table read(const std::string& content, const ReadOptions& options = {}, size_t chunk = 1 << 20) const {
    return read_in_chunks(folder_.write("points.npy", content), options, chunk);
  }
  std::string error(const std::string& content, const ReadOptions& options = {}) const {
    return error_of([&] { read(content, options); });
  }
  template <class T>
  void expect_type(const std::string& descr) const {
    const Table table = read(npy(descr, "(2, 3)", bytes_of<T>({0, 1, 2, 3, 4, 100})));
    EXPECT_EQ(rows_of(table), (Rows{{0, 1, 2}, {3, 4, 100}})) << descr;
    EXPECT_EQ(table.type, ScalarType::float32) << descr;
  }
  TemporaryFolder folder_;
};

TEST_F(Npy, EveryNumberTypeIsRead) {
  expect_type<float>("<f4");
  expect_type<double>("<f8");
  expect_type<int8_t>("|i1");
  expect_type<int16_t>("<i2");
  expect_type<int32_t>("<i4");
  expect_type<int64_t>("<i8");
  expect_type<uint8_t>("|u1");
  expect_type<uint16_t>("<u2");
  expect_type<uint32_t>("<u4");
  expect_type<uint64_t>("<u8");
  EXPECT_EQ(rows_of(read(npy("|b1", "(1, 2)", bytes_of<uint8_t>({0, 1})))), (Rows{{0, 1}}));
}

TEST_F(Npy, EveryVersionIsRead) {
  for (const int version : {1, 2, 3}) {
    const auto file = npy("<f4", "(1, 2)", bytes_of<float>({5, 6}), false, version);
    EXPECT_EQ(rows_of(read(file)), (Rows{{5, 6}})) << version;
  }
  EXPECT_EQ(error(npy("<f4", "(1, 2)", bytes_of<float>({5, 6}), false, 4)),
            "points.npy: NPY version 4 is not supported; versions 1 to 3 are");
}

TEST_F(Npy, InexactValuesMakeTheTableFloat64) {
  for (const size_t chunk : {1u, 16u, 1000u}) {
    const Table table = read(npy("<f8", "(3, 2)", bytes_of<double>({1, 2, 3, 0.1, 5, 6})), {}, chunk);
    EXPECT_EQ(table.type, ScalarType::float64);
    EXPECT_EQ(rows_of(table), (Rows{{1, 2}, {3, 0.1}, {5, 6}}));
  }
  EXPECT_EQ(read(npy("<i4", "(1,)", bytes_of<int32_t>({16777217}))).type, ScalarType::float64);
}

TEST_F(Npy, FortranOrderStaysColumnMajor) {
  for (const size_t chunk : {1u, 8u, 1000u}) {
    const auto file = npy("<f4", "(2, 3)", bytes_of<float>({1, 2, 3, 4, 5, 6}), true);
    const Table table = read(file, {}, chunk);
    EXPECT_TRUE(table.column_major);
    EXPECT_EQ(rows_of(table), (Rows{{1, 3, 5}, {2, 4, 6}}));
  }
}

TEST_F(Npy, OneDimensionIsOneColumn) {
  EXPECT_EQ(rows_of(read(npy("<f4", "(3,)", bytes_of<float>({1, 2, 3})))), (Rows{{1}, {2}, {3}}));
}

TEST_F(Npy, LabelColumnIsReadInBothOrders) {
  const auto by_rows = npy("<f8", "(3, 3)", bytes_of<double>({1, 9, 2, 3, 8, 4, 5, 9, 0.1}));
  const auto by_columns = npy("<f8", "(3, 3)", bytes_of<double>({1, 3, 5, 9, 8, 9, 2, 4, 0.1}), true);
  for (const std::string& file : {by_rows, by_columns}) {
    const Table table = read(file, with_label("2"));
    EXPECT_EQ(rows_of(table), (Rows{{1, 2}, {3, 4}, {5, 0.1}}));
    EXPECT_EQ(table.class_names, (Names{"8", "9"}));
    EXPECT_EQ(table.truth, (Classes{1, 0, 1}));
  }
}

TEST_F(Npy, RangeOfRowsIsReadInBothOrders) {
  ReadOptions options;
  options.rows = Range{1, 3};
  const auto by_rows = npy("<f4", "(4, 2)", bytes_of<float>({1, 2, 3, 4, 5, 6, 7, 8}));
  const auto by_columns = npy("<f4", "(4, 2)", bytes_of<float>({1, 3, 5, 7, 2, 4, 6, 8}), true);
  for (const std::string& file : {by_rows, by_columns, gzip(by_rows), gzip(by_columns)}) {
    const Table table = read(file, options);
    EXPECT_EQ(rows_of(table), (Rows{{3, 4}, {5, 6}}));
    EXPECT_EQ(table.first_row, 1);
  }
}

TEST_F(Npy, CompressedFileIsRead) {
  const Table table = read(gzip(npy("<f4", "(1, 2)", bytes_of<float>({5, 6}))));
  EXPECT_EQ(rows_of(table), (Rows{{5, 6}}));
  EXPECT_EQ(table.format, "npy.gz");
}

TEST_F(Npy, ErrorOfATruncatedFileNamesBothSizes) {
  const auto file = npy("<f4", "(2, 3)", bytes_of<float>({1, 2, 3, 4, 5}));
  const std::string expected = "points.npy: the file is truncated: 2 x 3 values need 24 bytes, found 20";
  EXPECT_EQ(error(file), expected);
  EXPECT_EQ(error(gzip(file)), expected);
  EXPECT_EQ(error(npy("<f4", "(2, 3)", "").substr(0, 30)),
            "points.npy: the NPY header is truncated: expected 60 more bytes, found 20");
}

TEST_F(Npy, ArraysThatAreNotTablesAreRefused) {
  EXPECT_EQ(error(npy(">f8", "(1, 1)", bytes_of<double>({1}))),
            "points.npy: big-endian values ('>f8') are not supported; save array.astype('<f8')");
  EXPECT_EQ(error(npy("<c8", "(1, 1)", bytes_of<double>({1}))),
            "points.npy: values of type '<c8' are not supported; floats of 4 or 8 bytes, integers and bool are");
  EXPECT_EQ(error(npy("<f4", "(1, 1, 1)", bytes_of<float>({1}))),
            "points.npy: the array must have 2 dimensions (or 1); it has 3");
  EXPECT_EQ(error(npy("<f4", "(0, 4)", "")), "points.npy: the array is empty: 0 x 4");
  EXPECT_EQ(error("1,2\n3,4\n5,6\n"), "points.npy: is not an NPY file: it does not begin with \\x93NUMPY");
}

TEST_F(Npy, ErrorNamesThePlaceOfAValueThatIsNotFinite) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::string message =
      "points.npy: nan in row 2, column 1 (counted from 1) is not allowed: values must be finite";
  EXPECT_EQ(error(npy("<f4", "(2, 2)", bytes_of<float>({1, 2, nan, nan}))), message);
  EXPECT_EQ(error(npy("<f4", "(2, 2)", bytes_of<float>({1, nan, 2, 3}), true)), message);
  EXPECT_EQ(error(npy("<f4", "(2, 3)", bytes_of<float>({1, 2, 0, nan, 4, 1})), with_label("last")), message);
}

TEST_F(Npy, ArchivesAreNotMistakenForArrays) {
  const std::string path = folder_.write("points.npz", "PK\x03\x04 and so on");
  EXPECT_EQ(error_of([&] { read_table(path); }), "points.npz: contains a graph (format npz), not a table");
}

}  // namespace
}  // namespace mbsc::testing
