// SPDX-License-Identifier: Apache-2.0
// Reading tables and labels: what does not depend on the format.
#include "mbsc/read.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>

#include "mbsc/io/write.h"
#include "tests/io/temporary_folder.h"

namespace mbsc::testing {
namespace {

TEST(ReadTable, LinesBeforeTheRangeAreNotParsed) {
  const TemporaryFolder folder;
  const std::string path = folder.write("points.csv", "1,2\n3,4\nbad\n5,6\nbad,too,\n");
  ReadOptions options;
  options.rows = Range{3, 4};
  EXPECT_EQ(rows_of(read_table(path, options)), (Rows{{5, 6}}));
}

TEST(ReadTable, ReadingStopsAfterTheRange) {
  const TemporaryFolder folder;
  std::string rows;
  for (int i = 0; i < 100000; ++i) rows += fmt::format("{},{}\n", i, i * 31 % 1009);
  const std::string packed = gzip(rows);
  const std::string path = folder.write("points.csv.gz", packed.substr(0, packed.size() / 2));
  ReadOptions options;
  options.rows = Range{1, 3};
  EXPECT_EQ(rows_of(read_in_chunks(path, options, 1000)), (Rows{{1, 31}, {2, 62}}));
}

TEST(ReadTable, RangeBeyondTheRowsIsRefused) {
  const TemporaryFolder folder;
  const std::string path = folder.write("points.csv", "1,2\n3,4\n");
  ReadOptions options;
  options.rows = Range{1, 3};
  EXPECT_EQ(error_of([&] { read_table(path, options); }),
            "points.csv: rows [1, 3) were asked for, but there are only 2");
  options.rows = Range{2, 1};
  EXPECT_EQ(error_of([&] { read_table(path, options); }), "points.csv: rows [2, 1) is not a range");
}

TEST(ReadTable, LineNumbersCountAcrossChunksAndThreads) {
  const TemporaryFolder folder;
  std::string text = "x,y\n\n";
  for (int i = 3; i <= 500; ++i) text += i == 437 ? "1,2,3\n" : "1,2\n";
  const std::string path = folder.write("points.csv", text);
  for (const size_t chunk : {1u, 100u, 1u << 20}) {
    for (const int threads : {1, 3}) {
      ReadOptions options;
      options.threads = threads;
      EXPECT_EQ(error_of([&] { read_in_chunks(path, options, chunk); }), "points.csv:437: 3 values, but line 1 has 2");
    }
  }
}

TEST(ReadTable, LineNumbersAreRightInEveryPart) {
  const TemporaryFolder folder;
  std::string text = "x,y\n";
  for (int i = 2; i <= 500; ++i) text += i == 437 ? "1,2,3\n" : "1,2\n";
  const std::string path = folder.write("points.csv", text);
  int errors = 0;
  for (int index = 0; index < 4; ++index) {
    ReadOptions options;
    options.part = {index, 4};
    const std::string error = error_of([&] { read_table(path, options); });
    if (error.empty()) continue;
    ++errors;
    EXPECT_EQ(error, "points.csv:437: 3 values, but line 1 has 2");
  }
  EXPECT_EQ(errors, 1);
}

TEST(ReadTable, StopRequestEndsReading) {
  const TemporaryFolder folder;
  const std::atomic<bool> flag{true};
  ReadOptions options;
  options.stop = StopToken(flag);
  EXPECT_THROW(read_table(folder.write("points.csv", "1,2\n"), options), Stopped);
}

TEST(ReadTable, ErrorWhileReadingAheadIsReported) {
  const TemporaryFolder folder;
  std::string rows;
  for (int i = 0; i < 5000; ++i) rows += fmt::format("{},{}\n", i, i * 31 % 1009);
  const std::string packed = gzip(rows);
  const std::string path = folder.write("points.csv.gz", packed.substr(0, packed.size() - 100));
  ReadOptions options;
  options.threads = 2;
  const std::string error = error_of([&] { read_in_chunks(path, options, 1000); });
  EXPECT_NE(error.find("the gzip data is truncated"), std::string::npos) << error;
}

TEST(ReadLabels, EqualTextsAreTheSameClass) {
  const TemporaryFolder folder;
  const LabelFile file = read_labels(folder.write("labels.txt", "cat\r\n dog \n\"cat\"\n\nbig cat\n"));
  EXPECT_EQ(file.labels, (Classes{0, 1, 0, 2}));
  EXPECT_EQ(file.names, (Names{"cat", "dog", "big cat"}));
}

TEST(ReadLabels, ClassesAreNumberedInOrderOfAppearance) {
  const TemporaryFolder folder;
  const LabelFile file = read_labels(folder.write("labels.txt.gz", gzip("7\n3\n7\n")));
  EXPECT_EQ(file.labels, (Classes{0, 1, 0}));
  EXPECT_EQ(file.names, (Names{"7", "3"}));
}

TEST(ReadLabels, FileWithoutLabelsIsRefused) {
  const TemporaryFolder folder;
  EXPECT_EQ(error_of([&] { read_labels(folder.write("labels.txt", "")); }), "labels.txt: the file is empty");
  EXPECT_EQ(error_of([&] { read_labels(folder.write("labels.txt", "\n\n")); }),
            "labels.txt: there are no labels, only blank lines");
}

TEST(ReadLabels, ArrayOfOneColumnIsReadWhateverItsName) {
  const TemporaryFolder folder;
  Matrix<float> values(3, 1);
  values(0, 0) = values(2, 0) = 7;
  values(1, 0) = 0.5;
  write_npy(folder / "labels.npy", MatrixView<const float>(values.view()));
  const std::string renamed = folder.write("labels.txt", content_of(folder / "labels.npy"));
  for (const std::string& path : {folder / "labels.npy", renamed}) {
    const LabelFile file = read_labels(path);
    EXPECT_EQ(file.labels, (Classes{0, 1, 0}));
    EXPECT_EQ(file.names, (Names{"7", "0.5"}));
  }
  EXPECT_EQ(read_labels(folder.write("text.npy", "a\nb\n")).names, (Names{"a", "b"}));
}

TEST(ReadLabels, ArrayOfTwoColumnsIsRefused) {
  const TemporaryFolder folder;
  const Matrix<float> values(3, 2);
  write_npy(folder / "labels.npy", values.view());
  EXPECT_EQ(error_of([&] { read_labels(folder / "labels.npy"); }),
            "labels.npy: labels must be one column; there are 2");
}

/// The folder of the data sets of the paper: MBSC_DATA if it is set, otherwise data/ beside tests/.
std::filesystem::path data_folder() {
  const char* named = std::getenv("MBSC_DATA");
  if (named != nullptr) return named;
  return std::filesystem::path(__FILE__).parent_path().parent_path().parent_path() / "data";
}

TEST(Data, PendigitsHasTheRowsAndClassesOfItsDescription) {
  const std::filesystem::path path = data_folder() / "pendigits.csv.gz";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "skipped: no data";
  ReadOptions options = with_label("last");
  options.threads = 2;
  const Table table = read_table(path.string(), options);
  EXPECT_EQ(table.rows, 10992);
  EXPECT_EQ(table.features, 16);
  EXPECT_EQ(table.type, ScalarType::float32);
  EXPECT_EQ(table.class_names, (Names{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}));
  EXPECT_EQ(std::count(table.truth.begin(), table.truth.end(), 7), 1142);
}

}  // namespace
}  // namespace mbsc::testing
