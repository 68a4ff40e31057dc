// SPDX-License-Identifier: Apache-2.0
// Every reader of a table format detects and reads a small file of its own format.
#include "mbsc/io/reader.h"

#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <mutex>

#include "mbsc/comm/thread_comm.h"
#include "tests/io/temporary_folder.h"

namespace mbsc::testing {
namespace {

constexpr char npy_head[] = "{'descr': '<f4', 'fortran_order': False, 'shape': (4, 3), }";

std::string npy_sample() {
  const float values[] = {1, 2, 0, 3, 4, 1, 5, 6, 0, 7, 8, 1};
  return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(sizeof npy_head) + '\0' + npy_head + "\n" +
         std::string(reinterpret_cast<const char*>(values), sizeof values);
}

/// The same table in each format. The classes are in the last column, or at the beginning of a LIBSVM line.
const std::map<std::string, std::string>& samples() {
  static const std::map<std::string, std::string> all{
      {"csv", "1,2,0\n3,4,1\n5,6,0\n7,8,1\n"},
      {"tsv", "1\t2\t0\n3\t4\t1\n5\t6\t0\n7\t8\t1\n"},
      {"libsvm", "0 1:1 2:2\n1 1:3 2:4\n0 1:5 2:6\n1 1:7 2:8\n"},
      {"npy", npy_sample()},
  };
  return all;
}

const Rows sample_rows = {{1, 2}, {3, 4}, {5, 6}, {7, 8}};
const Classes sample_classes = {0, 1, 0, 1};

/// The readers whose files contain a table. graph_reader_test.cpp tests those of graphs.
std::vector<const Reader*> table_readers() {
  std::vector<const Reader*> chosen;
  for (const Reader* reader : readers())
    if (!reader->is_graph()) chosen.push_back(reader);
  return chosen;
}

/// The tests that run for each of these readers. They fail if a format has no sample.
class EveryReader : public ::testing::TestWithParam<const Reader*> {
 protected:
  const Reader& reader() const { return *GetParam(); }
  std::string write_sample(const std::string& name) const {
    EXPECT_EQ(samples().count(reader().name), 1u) << "add a sample of this format to reader_test.cpp";
    return folder_.write(name, samples().at(reader().name));
  }
  TemporaryFolder folder_;
};

void expect_sample(const Table& table, const std::string& format) {
  EXPECT_EQ(table.format, format);
  EXPECT_EQ(rows_of(table), sample_rows);
  EXPECT_EQ(table.truth, sample_classes);
}

TEST_P(EveryReader, DetectsItsFormat) {
  expect_sample(read_table(write_sample("points"), with_label("last")), reader().name);
}

TEST_P(EveryReader, ReadsItsFormatOnRequest) {
  ReadOptions options = with_label("last");
  options.format = reader().name;
  expect_sample(read_table(write_sample("points"), options), reader().name);
}

TEST_P(EveryReader, ReadsACompressedFile) {
  const std::string path = folder_.write("points", gzip(content_of(write_sample("plain"))));
  expect_sample(read_table(path, with_label("last")), reader().name + ".gz");
}

TEST_P(EveryReader, ReadsARangeOfRows) {
  ReadOptions options = with_label("last");
  options.rows = Range{1, 3};
  EXPECT_EQ(rows_of(read_table(write_sample("points"), options)), (Rows{{3, 4}, {5, 6}}));
}

TEST_P(EveryReader, CountsRows) {
  const std::string path = write_sample("points");
  EXPECT_EQ(count_rows(path), 4);
  EXPECT_EQ(count_rows(folder_.write("points.gz", gzip(content_of(path)))), 4);
}

TEST_P(EveryReader, ReadsPartsThatMakeUpTheWholeFile) {
  const std::string path = write_sample("points");
  ASSERT_EQ(can_read_parts(path), static_cast<bool>(reader().read_part));
  ReadOptions options = with_label("last");
  for (const int count : {1, 2, 3, 7}) {
    Rows rows;
    for (int index = 0; index < count; ++index) {
      options.part = {index, count};
      if (!reader().read_part) {
        EXPECT_EQ(error_of([&] { read_table(path, options); }), "points: cannot be read in parts");
        return;
      }
      for (const auto& row : rows_of(read_table(path, options))) rows.push_back(row);
    }
    EXPECT_EQ(rows, sample_rows) << count << " parts";
  }
}

TEST_P(EveryReader, CannotReadPartsOfACompressedFile) {
  EXPECT_FALSE(can_read_parts(folder_.write("points", gzip(content_of(write_sample("plain"))))));
}

TEST_P(EveryReader, SharesAFileAmongRanks) {
  const std::string plain = write_sample("points"), packed = folder_.write("points.gz", gzip(content_of(plain)));
  for (const std::string& path : {plain, packed}) {
    std::map<int64_t, Table> tables;
    std::mutex mutex;
    run_as_ranks(3, [&](const Comm& comm) {
      SharedTable shared = read_shared_table(path, with_label("last"), comm);
      EXPECT_EQ(shared.n, 4);
      const std::lock_guard lock(mutex);
      if (shared.own.rows > 0) tables[shared.own.first_row] = std::move(shared.own);
    });
    Rows rows;
    Classes classes;
    for (const auto& [first_row, table] : tables) {
      EXPECT_EQ(first_row, std::ssize(rows));
      for (const auto& row : rows_of(table)) rows.push_back(row);
      classes.insert(classes.end(), table.truth.begin(), table.truth.end());
    }
    EXPECT_EQ(rows, sample_rows);
    EXPECT_EQ(classes, sample_classes);
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, EveryReader, ::testing::ValuesIn(table_readers()),
                         [](const auto& reader) { return reader.param->name; });

TEST(Readers, NamesAreUniqueAndInTheOrderOfTheTable) {
  Names names = format_names();
  ASSERT_EQ(std::ssize(names), std::ssize(readers()));
  for (size_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(names[i], readers()[i]->name);
    EXPECT_EQ(&find_reader(names[i]), readers()[i]);
  }
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
}

TEST(Readers, UnknownNameIsRefused) {
  EXPECT_EQ(error_of([] { find_reader("xlsx"); }),
            fmt::format("format must be one of auto, {}; got 'xlsx'", fmt::join(format_names(), ", ")));
}

TEST(Readers, TextFormatsRefuseBinaryContent) {
  const TemporaryFolder folder;
  for (const Reader* reader : readers()) {
    if (!reader->is_text) continue;
    SCOPED_TRACE(reader->name);
    ReadOptions options;
    options.format = reader->name;
    const auto error = [&](std::string_view content) {
      return error_of([&] { read_content(folder.write("points", content), options, serial_comm()); });
    };
    EXPECT_EQ(error(npy_sample()), "points: is a file in NPY format, not text");
    EXPECT_TRUE(error(std::string_view("1,2\0", 4)).starts_with("points: is neither text nor "));
  }
}

TEST(Readers, ContentTakesPrecedenceOverTheFileName) {
  EXPECT_EQ(detect_reader("1 1:2\n", "points.npy").name, "libsvm");
  EXPECT_EQ(detect_reader(npy_sample(), "points.libsvm").name, "npy");
}

TEST(Readers, FileNameDecidesIfTheContentDoesNot) {
  EXPECT_EQ(detect_reader("1\n2\n", "points.svm").name, "libsvm");
  EXPECT_EQ(detect_reader("1\n2\n", "POINTS.SVM.GZ").name, "libsvm");
  EXPECT_EQ(detect_reader("1,2\n", "points.svm").name, "csv");
  EXPECT_EQ(detect_reader("1,2\n", "points.npy").name, "npy");
  EXPECT_EQ(detect_reader("1\n2\n", "points").name, "csv");
}

}  // namespace
}  // namespace mbsc::testing
