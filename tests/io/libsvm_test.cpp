// SPDX-License-Identifier: Apache-2.0
// Reading the sparse format of LIBSVM.
#include <gtest/gtest.h>

#include "tests/io/temporary_folder.h"

namespace mbsc::testing {
namespace {

class Libsvm : public ::testing::Test {
 protected:
  Table read(std::string_view text, const ReadOptions& options = {}) const {
    return read_table(folder_.write("points.txt", text), options);
  }
  std::string error(std::string_view text) const {
    return error_of([&] { read(text); });
  }
  TemporaryFolder folder_;
};

TEST_F(Libsvm, MissingIndicesAreZero) {
  const Table table = read("1 1:0.5 3:2\n-1 2:7 # a comment\n# another\n1\n");
  EXPECT_EQ(table.format, "libsvm");
  EXPECT_EQ(rows_of(table), (Rows{{0.5, 0, 2}, {0, 7, 0}, {0, 0, 0}}));
  EXPECT_EQ(table.class_names, (Names{"-1", "1"}));
  EXPECT_EQ(table.truth, (Classes{1, 0, 1}));
}

TEST_F(Libsvm, LabelsWithAndWithoutASignAreTheSameClass) {
  EXPECT_EQ(read("+1 1:1\n1 1:2\n").class_names, (Names{"1"}));
}

TEST_F(Libsvm, LaterRowsMayBeLonger) {
  const std::string path = folder_.write("points.txt", "1 1:1\n2 2:0.1\n1 5:3\n2 1:4\n");
  const Rows expected = {{1, 0, 0, 0, 0}, {0, 0.1, 0, 0, 0}, {0, 0, 0, 0, 3}, {4, 0, 0, 0, 0}};
  for (const size_t chunk : {1u, 7u, 1000u}) EXPECT_EQ(rows_of(read_in_chunks(path, {}, chunk)), expected);
}

TEST_F(Libsvm, RangeOfRowsHasTheFeaturesOfTheWholeFile) {
  ReadOptions options;
  options.rows = Range{1, 2};
  const Table table = read("1 1:1\n2 2:5\n1 4:3\n", options);
  EXPECT_EQ(rows_of(table), (Rows{{0, 5, 0, 0}}));
}

TEST_F(Libsvm, FileNameDecidesIfTheContentDoesNot) {
  const std::string path = folder_.write("points.svm", "1\n2\n");
  EXPECT_EQ(error_of([&] { read_table(path); }), "points.svm: there are no features, only labels");
}

TEST_F(Libsvm, ErrorShowsTheBadEntry) {
  EXPECT_EQ(error("1 1:1\n1 2:x\n"), "points.txt:2: '2:x' is not index:value");
  EXPECT_EQ(error("1 1:1\n1 qid:3 2:1\n"), "points.txt:2: 'qid:3' is not index:value");
  EXPECT_EQ(error("1 1:1\n1 0:3 2:1\n"), "points.txt:2: index 0 is not in [1, 2147483647]");
  EXPECT_EQ(error("1 1:1\n1 5:3 2:1\n"), "points.txt:2: index 2 comes after 5; indices must ascend");
  EXPECT_EQ(error("1 1:1\n1 2:nan\n"), "points.txt:2: '2:nan' is not allowed: values must be finite");
  EXPECT_EQ(error("1 1:1\n1:2 2:3\n"), "points.txt:2: there is no label before '1:2'");
}

TEST_F(Libsvm, BadLineWithAHugeIndexAllocatesNoMemory) {
  EXPECT_EQ(error("1 1:1\n1 2147483647:x\n"), "points.txt:2: '2147483647:x' is not index:value");
}

}  // namespace
}  // namespace mbsc::testing
