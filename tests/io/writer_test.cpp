// SPDX-License-Identifier: Apache-2.0
#include "mbsc/io/writer.h"

#include <gtest/gtest.h>

#include "tests/io/temporary_folder.h"

namespace mbsc::testing {
namespace {

struct Sample {
  Sample() : rows(2, 2) {
    rows(0, 0) = 1;
    rows(0, 1) = 0.5;
    rows(1, 0) = -3;
    rows(1, 1) = 4;
  }
  Matrix<float> rows;
  Classes classes = {1, 0};
};

TEST(Writers, EveryWriterWritesAFileThatReadsBackEqual) {
  const TemporaryFolder folder;
  const Sample sample;
  for (const Writer* writer : writers()) {
    SCOPED_TRACE(writer->ending);
    const std::string path = folder / ("points" + writer->ending);
    EXPECT_EQ(&find_writer(path), writer);
    writer->write(path, sample.rows, sample.classes);
    const Table table = read_table(path, with_label("last"));
    EXPECT_EQ(rows_of(table), (Rows{{1, 0.5}, {-3, 4}}));
    EXPECT_EQ(table.truth, sample.classes);
  }
}

TEST(Writers, StandardOutputIsCsv) {
  const Sample sample;
  ::testing::internal::CaptureStdout();
  find_writer("-").write("-", sample.rows, sample.classes);
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "1,0.5,1\n-3,4,0\n");
}

TEST(Writers, OtherEndingsAreRefused) {
  EXPECT_EQ(error_of([] { find_writer("points.xlsx"); }),
            "output must end in .csv or .npy, or be -; got 'points.xlsx'");
}

}  // namespace
}  // namespace mbsc::testing
