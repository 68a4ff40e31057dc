// SPDX-License-Identifier: Apache-2.0
// Writing labels, NPY arrays and text.
#include "mbsc/io/write.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <limits>

#include "tests/io/temporary_folder.h"

namespace mbsc::testing {
namespace {

TEST(WriteLabels, OneLabelPerLineInOrder) {
  const TemporaryFolder folder;
  write_labels(folder / "labels.txt", Classes{3, 0, -1, std::numeric_limits<int32_t>::min()});
  EXPECT_EQ(content_of(folder / "labels.txt"), "3\n0\n-1\n-2147483648\n");
}

TEST(WriteLabels, ManyLabelsReadBackEqual) {
  const TemporaryFolder folder;
  Classes labels;
  for (int i = 0; i < 500000; ++i) labels.push_back(i % 1013);
  write_labels(folder / "labels.txt", labels);
  EXPECT_EQ(read_labels(folder / "labels.txt").labels, labels);
}

TEST(WriteNpy, StridedViewsReadBackEqual) {
  const TemporaryFolder folder;
  Matrix<float> values(3, 5);
  for (int64_t i = 0; i < values.size(); ++i) values.data()[i] = static_cast<float>(i);
  write_npy(folder / "part.npy", MatrixView<const float>(values.view().columns_between(1, 3)));
  EXPECT_EQ(rows_of(read_table(folder / "part.npy")), (Rows{{1, 2}, {6, 7}, {11, 12}}));
  Matrix<double> wide(1, 2);
  wide(0, 0) = 0.1;
  write_npy(folder / "wide.npy", MatrixView<const double>(wide.view()));
  EXPECT_EQ(rows_of(read_table(folder / "wide.npy")), (Rows{{0.1, 0}}));
}

TEST(WriteNpy, ValuesBeginAtAMultipleOf64Bytes) {
  const TemporaryFolder folder;
  for (const int64_t rows : {1, 10, 100, 1000}) {
    const Matrix<double> values(rows, 1);
    write_npy(folder / "values.npy", MatrixView<const double>(values.view()));
    EXPECT_EQ((std::filesystem::file_size(folder / "values.npy") - static_cast<size_t>(rows) * 8) % 64, 0u);
  }
}

TEST(WriteText, ReplacesAFileAndLeavesNoTemporaryFile) {
  const TemporaryFolder folder;
  write_text(folder / "summary.json", "old and long");
  write_text(folder / "summary.json", "new");
  EXPECT_EQ(content_of(folder / "summary.json"), "new");
  EXPECT_EQ(folder.files(), 1u);
}

TEST(WriteText, SymbolicLinkIsKeptAndItsTargetReplaced) {
  const TemporaryFolder folder;
  folder.write("target.txt", "old");
  std::filesystem::create_symlink(folder / "target.txt", folder / "link.txt");
  write_text(folder / "link.txt", "new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link.txt"));
  EXPECT_EQ(content_of(folder / "target.txt"), "new");
}

TEST(WriteText, ErrorNamesTheMissingFolder) {
  const TemporaryFolder folder;
  const std::string message = error_of([&] { write_text(folder / "none/labels.txt", "x"); });
  EXPECT_TRUE(message.starts_with("none/labels.txt: cannot be written: the folder ")) << message;
  EXPECT_TRUE(message.ends_with("/none does not exist")) << message;
}

TEST(WriteText, FullDeviceIsAnError) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "skipped: no /dev/full";
  EXPECT_EQ(error_of([] { write_text("/dev/full", "x"); }), "/dev/full: cannot be written: No space left on device");
}

TEST(WriteText, DevicesAreWrittenDirectly) {
  write_text("/dev/null", "x");
  EXPECT_FALSE(std::filesystem::is_regular_file("/dev/null"));
}

TEST(WriteText, DashIsStandardOutput) {
  ::testing::internal::CaptureStdout();
  write_text("-", "to the screen\n");
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "to the screen\n");
}

TEST(CheckWritable, AcceptsNewAndExistingFiles) {
  const TemporaryFolder folder;
  folder.write("old.txt", "old");
  check_writable(folder / "old.txt");
  check_writable(folder / "new.txt");
  check_writable("-");
  check_writable("/dev/null");
  EXPECT_EQ(folder.files(), 1u);
  EXPECT_EQ(content_of(folder / "old.txt"), "old");
}

TEST(CheckWritable, RefusesPathsWhereNoFileCanBe) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "inner");
  folder.write("file", "x");
  EXPECT_EQ(error_of([&] { check_writable(folder / "inner"); }), "inner: cannot be written: is a directory");
  EXPECT_NE(error_of([&] { check_writable(folder / "file/labels.txt"); }).find("cannot be written"), std::string::npos);
  EXPECT_NE(error_of([&] { check_writable(folder / "none/labels.txt"); }).find("does not exist"), std::string::npos);
  EXPECT_EQ(error_of([] { check_writable(""); }), "the name of an output file must not be empty");
}

TEST(CheckWritable, RefusesAReadOnlyFolder) {
  if (::geteuid() == 0) GTEST_SKIP() << "skipped: root may write anywhere";
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "locked");
  std::filesystem::permissions(folder / "locked",
                               std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  EXPECT_NE(error_of([&] { check_writable(folder / "locked/labels.txt"); }).find("no file can be created in"),
            std::string::npos);
}

}  // namespace
}  // namespace mbsc::testing
