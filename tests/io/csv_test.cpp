// SPDX-License-Identifier: Apache-2.0
// Reading separated values: CSV and TSV.
#include <gtest/gtest.h>

#include "tests/io/temporary_folder.h"

namespace mbsc::testing {
namespace {

class Csv : public ::testing::Test {
 protected:
  Table read(std::string_view text, const ReadOptions& options = {}) const {
    return read_table(folder_.write("points.csv", text), options);
  }
  std::string error(std::string_view text, const ReadOptions& options = {}) const {
    return error_of([&] { read(text, options); });
  }
  TemporaryFolder folder_;
};

TEST_F(Csv, RowsAreReadInOrder) {
  const Table table = read("1,2,3\n4,5,6\n");
  EXPECT_EQ(rows_of(table), (Rows{{1, 2, 3}, {4, 5, 6}}));
  EXPECT_EQ(table.format, "csv");
  EXPECT_TRUE(table.truth.empty());
  EXPECT_TRUE(table.feature_names.empty());
}

TEST_F(Csv, EverySeparatorIsDetected) {
  const Rows expected = {{1, 2.5}, {-3, 4}};
  EXPECT_EQ(rows_of(read("1,2.5\n-3,4\n")), expected);
  EXPECT_EQ(rows_of(read("1;2.5\n-3;4\n")), expected);
  EXPECT_EQ(rows_of(read("1\t2.5\n-3\t4\n")), expected);
  EXPECT_EQ(rows_of(read("1 2.5\n-3 4\n")), expected);
  EXPECT_EQ(rows_of(read("  1 \t 2.5\n -3    4  \n")), expected);
  EXPECT_EQ(read("1\t2\n3\t4\n").format, "tsv");
}

TEST_F(Csv, SeparatorIsTheOneThatGivesTheMostNumbers) {
  EXPECT_EQ(rows_of(read("a b,c d\n1,2\n")), (Rows{{1, 2}}));
  EXPECT_EQ(rows_of(read("1,\t2,\t3\n4,\t5,\t6\n")), (Rows{{1, 2, 3}, {4, 5, 6}}));
}

TEST_F(Csv, OneColumnNeedsNoSeparator) { EXPECT_EQ(rows_of(read("1\n2\n")), (Rows{{1}, {2}})); }

TEST_F(Csv, TsvOnRequestSeparatesByTabOnly) {
  ReadOptions options;
  options.format = "tsv";
  options.label_column = "first";
  const Table table = read("a, b\t1\nc d\t2\n", options);
  EXPECT_EQ(rows_of(table), (Rows{{1}, {2}}));
  EXPECT_EQ(table.class_names, (Names{"a, b", "c d"}));
}

TEST_F(Csv, WindowsLineEndsAndByteOrderMarkAreAccepted) {
  EXPECT_EQ(rows_of(read("\xEF\xBB\xBF"
                         "1,2\r\n3,4\r\n\r\n")),
            (Rows{{1, 2}, {3, 4}}));
}

TEST_F(Csv, SpaceAroundCellsIsIgnored) { EXPECT_EQ(rows_of(read(" 1 , 2\n3  ,\t4 \n")), (Rows{{1, 2}, {3, 4}})); }

TEST_F(Csv, LastLineMayLackItsNewline) { EXPECT_EQ(rows_of(read("1,2\n3,4")), (Rows{{1, 2}, {3, 4}})); }

TEST_F(Csv, BlankLinesAreSkipped) { EXPECT_EQ(rows_of(read("\n1,2\n \t\n3,4\n\n\n")), (Rows{{1, 2}, {3, 4}})); }

TEST_F(Csv, NumbersMayHaveSignsExponentsAndQuotes) {
  EXPECT_EQ(rows_of(read("+1.5,1e5\n\"-2.5\", \" 1E-2 \"\n.5,5.\n")), (Rows{{1.5, 1e5}, {-2.5, 0.01}, {0.5, 5}}));
}

TEST_F(Csv, LongIntegersAreRoundedCorrectly) {
  const Table table = read("123456789012345,12345678901234567890\n1,2\n");
  EXPECT_EQ(rows_of(table)[0], (std::vector<double>{123456789012345.0, 12345678901234567890.0}));
}

TEST_F(Csv, HeaderGivesFeatureNames) {
  const Table table = read("x,\"y, in \"\"m\"\"\",\n1,2,3\n");
  EXPECT_EQ(rows_of(table), (Rows{{1, 2, 3}}));
  EXPECT_EQ(table.feature_names, (Names{"x", "y, in \"m\"", ""}));
}

TEST_F(Csv, HeaderMayContainNumbers) {
  EXPECT_EQ(read("id,2019,2020\n1,2,3\n").feature_names, (Names{"id", "2019", "2020"}));
}

TEST_F(Csv, NameOfTheLabelColumnIsNotAFeature) {
  const Table table = read("x,class,y\n1,cat,2\n3,dog,4\n", with_label("2"));
  EXPECT_EQ(rows_of(table), (Rows{{1, 2}, {3, 4}}));
  EXPECT_EQ(table.feature_names, (Names{"x", "y"}));
  EXPECT_EQ(table.class_names, (Names{"cat", "dog"}));
}

TEST_F(Csv, TextInTheLabelColumnIsNotAHeader) {
  const Table table = read("1,2,cat\n3,4,dog\n5,6,cat\n", with_label("last"));
  EXPECT_EQ(table.rows, 3);
  EXPECT_EQ(table.truth, (Classes{0, 1, 0}));
}

TEST_F(Csv, TextClassesAreNumberedInOrderOfAppearance) {
  const Table table = read("zebra,1\nape,2\n\"zebra\",3\n\"a \"\"b\"\"\",4\n", with_label("first"));
  EXPECT_EQ(table.truth, (Classes{0, 1, 0, 2}));
  EXPECT_EQ(table.class_names, (Names{"zebra", "ape", "a \"b\""}));
}

TEST_F(Csv, IntegerClassesAreSortedAsNumbers) {
  const Table table = read("10,1\n9,2\n-1,3\n10.0,4\n", with_label("first"));
  EXPECT_EQ(table.truth, (Classes{2, 1, 0, 2}));
  EXPECT_EQ(table.class_names, (Names{"-1", "9", "10"}));
}

TEST_F(Csv, ValuesExactInFloat32StayFloat32) { EXPECT_EQ(read("16777216,0.5\n-255,1e10\n").type, ScalarType::float32); }

TEST_F(Csv, OneInexactValueMakesTheTableFloat64) {
  const Table table = read("1,2\n3,0.1\n5,16777217\n");
  EXPECT_EQ(table.type, ScalarType::float64);
  EXPECT_EQ(rows_of(table), (Rows{{1, 2}, {3, 0.1}, {5, 16777217}}));
  EXPECT_EQ(read("1,1e300\n").type, ScalarType::float64);
}

TEST_F(Csv, ErrorOfARaggedRowNamesBothLines) {
  EXPECT_EQ(error("1,2,3,4\n1,2,3,4\n5,6,7\n"), "points.csv:3: 3 values, but line 1 has 4");
  EXPECT_EQ(error("1,2\n1,2,3\n"), "points.csv:2: 3 values, but line 1 has 2");
  EXPECT_EQ(error("1,2,\n1,2,3\n"), "points.csv:1, column 3: the cell is empty; missing values are not allowed");
  EXPECT_EQ(error("x,y\n1,2\n3\n"), "points.csv:3: 1 value, but line 1 has 2");
  EXPECT_EQ(error("1,2,cat\n1,cat\n", with_label("last")), "points.csv:2: 2 values, but line 1 has 3");
  EXPECT_EQ(error("1,2\n3,4,\n"), "points.csv:2: 3 values, but line 1 has 2");
}

TEST_F(Csv, ErrorShowsTheCellThatIsNotANumber) {
  EXPECT_EQ(error("1,2,3\n\n4,abc,6\n"), "points.csv:3, column 2: 'abc' is not a number");
  EXPECT_EQ(error("1,2,3\n4,1.5x,6\n"), "points.csv:2, column 2: '1.5x' is not a number");
  EXPECT_EQ(error("1,2,3\n4,+-5,6\n"), "points.csv:2, column 2: '+-5' is not a number");
  EXPECT_EQ(error("1,2,3\n4,0x10,6\n"), "points.csv:2, column 2: '0x10' is not a number");
}

TEST_F(Csv, ErrorInTheFirstOrLastColumnSuggestsTheLabelColumn) {
  EXPECT_EQ(error("1,2,cat\n3,4,dog\n"),
            "points.csv:1, column 3: 'cat' is not a number (if this column holds the classes: "
            "--label-column last)");
  EXPECT_EQ(error("x,y,class\n3,4,dog\n"),
            "points.csv:2, column 3: 'dog' is not a number (if this column holds the classes: "
            "--label-column last)");
  EXPECT_EQ(error("cat,1,2\ndog,3,4\n"),
            "points.csv:1, column 1: 'cat' is not a number (if this column holds the classes: "
            "--label-column first)");
}

TEST_F(Csv, NanAndInfinityAreRefused) {
  EXPECT_EQ(error("1,2\nnan,4\n"), "points.csv:2, column 1: 'nan' is not allowed: values must be finite");
  EXPECT_EQ(error("1,-inf\n3,4\n"), "points.csv:1, column 2: '-inf' is not allowed: values must be finite");
  EXPECT_EQ(error("1,2\n3,1e999\n"), "points.csv:2, column 2: '1e999' is not allowed: values must be finite");
}

TEST_F(Csv, EmptyCellIsRefused) {
  EXPECT_EQ(error("1,2,3\n4,,6\n"), "points.csv:2, column 2: the cell is empty; missing values are not allowed");
  EXPECT_EQ(error("1\t2\t3\n4\t\t6\n"), "points.csv:2, column 2: the cell is empty; missing values are not allowed");
  EXPECT_EQ(error("1,a\n2,\n", with_label("last")), "points.csv:2, column 2: the label is empty");
}

TEST_F(Csv, BadQuotesAreRefused) {
  EXPECT_EQ(error("1,2\n3,\"4\n"), "points.csv:2: a quote is opened but not closed on this line");
  EXPECT_EQ(error("1,2\n3,4\n\"5\"6,7\n"), "points.csv:3: there is text after the closing quote of '5'");
}

TEST_F(Csv, FilesWithoutRowsAreRefused) {
  EXPECT_EQ(error(""), "points.csv: the file is empty");
  EXPECT_EQ(error("\n \n"), "points.csv: there are no rows, only blank lines");
  EXPECT_EQ(error("x,y\n"), "points.csv:1: no rows follow the header line");
}

TEST_F(Csv, LabelColumnOutOfRangeIsRefused) {
  EXPECT_EQ(error("1,2\n", with_label("3")), "points.csv: label_column must be first, last or in [1, 2]; got 3");
  EXPECT_EQ(error("1,2\n", with_label("0")), "points.csv: label_column must be first, last or in [1, 2]; got 0");
  EXPECT_EQ(error("1,2\n", with_label("lst")), "points.csv: label_column must be first, last or in [1, 2]; got lst");
  EXPECT_EQ(error("1\n2\n", with_label("last")),
            "points.csv: the column of labels is the only one; there are no features");
}

TEST_F(Csv, FirstErrorIsReportedForAnyNumberOfThreads) {
  std::string text;
  for (int i = 1; i <= 400; ++i) text += i % 100 == 0 ? "1,bad\n" : "1,0.1\n";
  for (const int threads : {1, 2, 5}) {
    ReadOptions options;
    options.threads = threads;
    EXPECT_EQ(error(text, options).substr(0, 26), "points.csv:100, column 2: ");
  }
}

}  // namespace
}  // namespace mbsc::testing
