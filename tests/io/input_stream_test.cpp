// SPDX-License-Identifier: Apache-2.0
// Files, pipes and gzip data as streams of bytes.
#include "mbsc/io/input_stream.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "tests/io/temporary_folder.h"

namespace mbsc::testing {
namespace {

std::string many_rows(int rows) {
  std::string text;
  for (int i = 0; i < rows; ++i) text += fmt::format("{},{}\n", i, (i * 7919) % 1000);
  return text;
}

/// Redirects standard input to a file or a pipe, until the object is destroyed.
class StandardInput {
 public:
  explicit StandardInput(int file) : before_(::dup(STDIN_FILENO)) { ::dup2(file, STDIN_FILENO); }
  ~StandardInput() {
    ::dup2(before_, STDIN_FILENO);
    ::close(before_);
  }

 private:
  int before_;
};

TEST(Gzip, CompressedTextGivesTheSameRowsAsPlainText) {
  const TemporaryFolder folder;
  const std::string text = many_rows(5000);
  const Table plain = read_table(folder.write("points.csv", text));
  const Table packed = read_table(folder.write("points.csv.gz", gzip(text)));
  EXPECT_EQ(rows_of(plain), rows_of(packed));
  EXPECT_EQ(packed.format, "csv.gz");
}

TEST(Gzip, IsDetectedWithoutTheFileName) {
  const TemporaryFolder folder;
  EXPECT_EQ(read_table(folder.write("points", gzip("1,2\n"))).format, "csv.gz");
  EXPECT_EQ(read_table(folder.write("points.gz", "1,2\n")).format, "csv");
}

TEST(Gzip, ConcatenatedMembersAreOneFile) {
  const TemporaryFolder folder;
  const std::string members = gzip("1,2\n3,") + gzip("4\n") + gzip("") + gzip("5,6\n") + std::string(100, '\0');
  EXPECT_EQ(rows_of(read_table(folder.write("points.csv.gz", members))), (Rows{{1, 2}, {3, 4}, {5, 6}}));
}

TEST(Gzip, TruncatedFileIsRefused) {
  const TemporaryFolder folder;
  const std::string whole = gzip(many_rows(5000));
  for (const size_t length : {size_t{5}, size_t{200}, whole.size() / 2, whole.size() - 1}) {
    const std::string path = folder.write("points.csv.gz", whole.substr(0, length));
    EXPECT_EQ(error_of([&] { read_table(path); }),
              fmt::format("points.csv.gz: the gzip data is truncated: it ends after {} bytes in the middle of a member",
                          length));
  }
}

TEST(Gzip, CorruptDataIsRefused) {
  const TemporaryFolder folder;
  std::string bytes = gzip(many_rows(5000));
  bytes[bytes.size() - 6] ^= 1;  // in the checksum
  const std::string path = folder.write("points.csv.gz", bytes);
  EXPECT_EQ(
      error_of([&] { read_table(path); }),
      fmt::format("points.csv.gz: the gzip data is corrupt near byte {}: incorrect data check", bytes.size() - 4));
  const std::string garbage = folder.write("points.csv.gz", gzip("1,2\n") + "garbage");
  EXPECT_NE(error_of([&] { read_table(garbage); }).find("is corrupt near byte"), std::string::npos);
}

TEST(InputStream, MissingFileAndDirectoryAreRefused) {
  const TemporaryFolder folder;
  EXPECT_EQ(error_of([&] { read_table(folder / "none.csv"); }),
            "none.csv: cannot be opened: No such file or directory");
  std::filesystem::create_directory(folder / "inner");
  EXPECT_EQ(error_of([&] { read_table(folder / "inner"); }), "inner: is a directory, not a file");
}

TEST(InputStream, ErrorNamesTheKindOfABinaryFile) {
  const TemporaryFolder folder;
  const auto error = [&](std::string_view content) {
    return error_of([&] { read_table(folder.write("points.csv", content)); });
  };
  EXPECT_EQ(error("BZh91AY"), "points.csv: is compressed by bzip2; only gzip is read");
  EXPECT_EQ(error(std::string_view("\xFF\xFE"
                                   "1\0,\0",
                                   6)),
            "points.csv: is UTF-16 text; save it as UTF-8");
  EXPECT_EQ(error(std::string_view("1,2\0", 4)), "points.csv: is neither text nor NPY nor NPZ: byte 3 is 0");
}

TEST(InputStream, StandardInputIsRead) {
  const TemporaryFolder folder;
  for (const std::string& content : {std::string("1,2\n3,4\n"), gzip("1,2\n3,4\n")}) {
    const int file = ::open(folder.write("points.csv", content).c_str(), O_RDONLY);
    {
      const StandardInput redirected(file);
      EXPECT_EQ(rows_of(read_table("-")), (Rows{{1, 2}, {3, 4}}));
    }
    ::close(file);
  }
}

TEST(InputStream, ErrorNamesStandardInput) {
  const TemporaryFolder folder;
  const int file = ::open(folder.write("points.csv", "1,2\n3\n").c_str(), O_RDONLY);
  {
    const StandardInput redirected(file);
    EXPECT_EQ(error_of([] { read_table("-"); }), "standard input:2: 1 value, but line 1 has 2");
  }
  ::close(file);
}

TEST(InputStream, PipeThatSendsSmallPiecesIsRead) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  std::thread writer([&] {
    for (const std::string_view part : {"1", ",2\n3", ",4", "\n"}) {
      EXPECT_EQ(::write(ends[1], part.data(), part.size()), std::ssize(part));
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    ::close(ends[1]);
  });
  {
    const StandardInput redirected(ends[0]);
    EXPECT_EQ(rows_of(read_table("-")), (Rows{{1, 2}, {3, 4}}));
  }
  writer.join();
  ::close(ends[0]);
}

TEST(InputStream, ReadingAPipeThatSendsNothingCanBeStopped) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  std::atomic<bool> flag{false};
  std::thread stopper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    flag = true;
  });
  {
    const StandardInput redirected(ends[0]);
    ReadOptions options;
    options.stop = StopToken(flag);
    EXPECT_THROW(read_table("-", options), Stopped);
  }
  stopper.join();
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(InputStream, SkippingIncludesPeekedBytes) {
  const TemporaryFolder folder;
  for (const std::string& content : {std::string("0123456789"), gzip("0123456789")}) {
    InputStream stream(folder.write("digits", content));
    EXPECT_EQ(stream.peek(4), "0123");
    EXPECT_EQ(stream.skip(6), 6);
    EXPECT_EQ(stream.peek(2), "67");
    char rest[8];
    EXPECT_EQ(stream.read(rest, 8), 4u);
    EXPECT_EQ(std::string_view(rest, 4), "6789");
    EXPECT_EQ(stream.skip(1), 0);
  }
}

}  // namespace
}  // namespace mbsc::testing
