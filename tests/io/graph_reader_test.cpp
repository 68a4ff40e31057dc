// SPDX-License-Identifier: Apache-2.0
// Every row of the reader table whose files contain a graph detects and reads a small file of its own format.
#include <gtest/gtest.h>

#include <map>
#include <tuple>

#include "mbsc/comm/thread_comm.h"
#include "mbsc/io/reader.h"
#include "tests/io/temporary_folder.h"

namespace mbsc::testing {
namespace {

using Entries = std::vector<std::tuple<int64_t, int64_t, double>>;

/// The bytes of a little-endian number.
std::string bytes_of(uint64_t value, size_t count) {
  std::string bytes;
  for (size_t i = 0; i < count; ++i, value >>= 8) bytes += char(value & 0xFF);
  return bytes;
}

template <class T>
std::string npy(const std::string& type, const std::string& shape, const std::vector<T>& values) {
  const std::string dict = "{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + ", }\n";
  return std::string("\x93NUMPY\x01\x00", 8) + bytes_of(dict.size(), 2) + dict +
         std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

/// An archive of stored files. With `is_wide`, every length and offset is in the 64-bit extension.
std::string zip(const std::vector<std::pair<std::string, std::string>>& files, bool is_wide = false) {
  std::string archive, directory;
  for (const auto& [name, content] : files) {
    const uint64_t checksum = crc32(0, reinterpret_cast<const Bytef*>(content.data()), uInt(content.size()));
    const uint64_t size = is_wide ? 0xFFFFFFFF : content.size(), offset = is_wide ? 0xFFFFFFFF : archive.size();
    const std::string sizes = bytes_of(checksum, 4) + bytes_of(size, 4) + bytes_of(size, 4);
    const std::string wide_sizes = bytes_of(content.size(), 8) + bytes_of(content.size(), 8);
    const std::string local = is_wide ? bytes_of(1, 2) + bytes_of(16, 2) + wide_sizes : "";
    const std::string central = is_wide ? bytes_of(7, 2) + bytes_of(1, 2) + "x" + bytes_of(1, 2) + bytes_of(24, 2) +
                                              wide_sizes + bytes_of(archive.size(), 8)
                                        : "";
    directory += "PK\x01\x02" + bytes_of(45, 2) + bytes_of(45, 2) + bytes_of(0, 8) + sizes + bytes_of(name.size(), 2) +
                 bytes_of(central.size(), 2) + bytes_of(0, 10) + bytes_of(offset, 4) + name + central;
    archive += "PK\x03\x04" + bytes_of(45, 2) + bytes_of(0, 8) + sizes + bytes_of(name.size(), 2) +
               bytes_of(local.size(), 2) + name + local + content;
  }
  const size_t at = archive.size();
  archive += directory;
  const uint64_t count = files.size();
  if (is_wide) {
    const size_t end = archive.size();
    archive += "PK\x06\x06" + bytes_of(44, 8) + bytes_of(45, 2) + bytes_of(45, 2) + bytes_of(0, 8) +
               bytes_of(count, 8) + bytes_of(count, 8) + bytes_of(directory.size(), 8) + bytes_of(at, 8);
    archive += "PK\x06\x07" + bytes_of(0, 4) + bytes_of(end, 8) + bytes_of(1, 4);
  }
  return archive + "PK\x05\x06" + bytes_of(0, 4) + bytes_of(is_wide ? 0xFFFF : count, 2) +
         bytes_of(is_wide ? 0xFFFF : count, 2) + bytes_of(is_wide ? 0xFFFFFFFF : directory.size(), 4) +
         bytes_of(is_wide ? 0xFFFFFFFF : at, 4) + bytes_of(5, 2) + "hello";
}

std::string npz_sample(bool is_wide = false) {
  return zip({{"indices.npy", npy<int32_t>("<i4", "(4,)", {1, 0, 2, 1})},
              {"indptr.npy", npy<int64_t>("<i8", "(4,)", {0, 1, 3, 4})},
              {"format.npy", npy<char>("|S3", "()", {'c', 's', 'r'})},
              {"shape.npy", npy<int64_t>("<i8", "(2,)", {3, 3})},
              {"data.npy", npy<float>("<f4", "(4,)", {0.5, 0.5, 2, 2})}},
             is_wide);
}

/// The path 1 - 2 - 3 with the weights 0.5 and 2, in each format.
const std::map<std::string, std::string>& samples() {
  static const std::map<std::string, std::string> all{
      {"mtx", "%%MatrixMarket matrix coordinate real symmetric\n%\n3 3 2\n2 1 0.5\n3 2 2\n"},
      {"npz", npz_sample()},
      {"edges", "# an edge list\n3 2 2\n1 2 0.5\n"},
  };
  return all;
}
const Entries sample_entries = {{0, 1, 0.5}, {1, 0, 0.5}, {1, 2, 2}, {2, 1, 2}};

/// The entries of each row, sorted.
Entries entries_of(const Graph& graph) {
  Entries entries;
  for (int64_t i = 0; i < graph.nodes; ++i)
    for (int64_t e = graph.starts[size_t(i)]; e < graph.starts[size_t(i + 1)]; ++e)
      entries.emplace_back(i, graph.columns[size_t(e)], graph.value(e));
  std::sort(entries.begin(), entries.end());
  return entries;
}

std::vector<const Reader*> graph_readers() {
  std::vector<const Reader*> chosen;
  for (const Reader* reader : readers())
    if (reader->is_graph()) chosen.push_back(reader);
  return chosen;
}

class EveryGraphReader : public ::testing::TestWithParam<const Reader*> {
 protected:
  const std::string& name() const { return GetParam()->name; }
  std::string write_sample(const std::string& ending = "") const {
    EXPECT_EQ(samples().count(name()), 1u) << "add a sample of this format to graph_reader_test.cpp";
    return folder_.write("graph." + name() + ending, samples().at(name()));
  }
  TemporaryFolder folder_;
};

TEST_P(EveryGraphReader, ReadsItsFormatByNameAndOnRequest) {
  const GraphFile file = read_graph(write_sample());
  EXPECT_EQ(entries_of(file.graph), sample_entries);
  EXPECT_EQ(file.format, name());
  EXPECT_NE(file.graph.owner, nullptr);
  ReadOptions options;
  options.format = name();
  EXPECT_EQ(entries_of(read_graph(folder_.write("any", samples().at(name())), options).graph), sample_entries);
}

TEST_P(EveryGraphReader, ReadsACompressedFile) {
  const GraphFile file = read_graph(folder_.write("graph." + name() + ".gz", gzip(samples().at(name()))));
  EXPECT_EQ(entries_of(file.graph), sample_entries);
  EXPECT_EQ(file.format, name() + ".gz");
}

TEST_P(EveryGraphReader, IsTheContentOfAFile) {
  const std::string path = write_sample();
  const Content content = read_content(path, {}, serial_comm());
  ASSERT_TRUE(content.graph.has_value());
  EXPECT_EQ(content.n(), 3);
  EXPECT_NE(error_of([&] { read_table(path); }).find("contains a graph (format " + name() + "), not a table"),
            std::string::npos);
  EXPECT_THROW(count_rows(path), InvalidInput);
  EXPECT_THROW(can_read_parts(path), InvalidInput);
}

TEST_P(EveryGraphReader, IsRefusedOnSeveralRanks) {
  const std::string path = write_sample();
  run_as_ranks(3, [&](const Comm& comm) {
    EXPECT_NE(error_of([&] { read_content(path, {}, comm); }).find("one rank only; got 3"), std::string::npos);
  });
}

TEST_P(EveryGraphReader, HasNoColumnOfClasses) {
  ReadOptions options;
  options.label_column = "last";
  EXPECT_NE(error_of([&] { read_graph(write_sample(), options); }).find("label_column"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Formats, EveryGraphReader, ::testing::ValuesIn(graph_readers()),
                         [](const auto& reader) { return reader.param->name; });

TEST(GraphReaders, ATableIsNotAGraph) {
  const TemporaryFolder folder;
  EXPECT_NE(error_of([&] { read_graph(folder.write("points.csv", "1,2\n3,4\n")); }).find("contains a table"),
            std::string::npos);
}

TEST(GraphReaders, TwoColumnsOfNumbersArePointsUnlessTheNameOrTheFormatSaysEdges) {
  EXPECT_EQ(detect_reader("1 2\n2 3\n", "graph.txt").name, "csv");
  EXPECT_EQ(detect_reader("1 2\n2 3\n", "graph.edges").name, "edges");
  EXPECT_EQ(detect_reader("1,2\n2,3\n", "GRAPH.EDGELIST.GZ").name, "edges");
  EXPECT_EQ(detect_reader("%%matrixmarket matrix", "graph.txt").name, "mtx");
}

TEST(MtxReader, FindsTheLineOfAnEntry) {
  const TemporaryFolder folder;
  const std::string path = folder.write(
      "a.mtx", "%%MatrixMarket matrix coordinate integer general\n%\n\n3 3 3\n1 2 1\n\n% comment\n2 1 1\n3 1 4\n");
  EXPECT_EQ(find_line(path, {}, 0, 1), 5);
  EXPECT_EQ(find_line(path, {}, 1, 0), 8);
  EXPECT_EQ(find_line(path, {}, 2, 0), 9);
  EXPECT_EQ(find_line(path, {}, 2, 2), std::nullopt);
}

TEST(MtxReader, KeepsLoopsAndSeveralEntriesAtAPlace) {
  const TemporaryFolder folder;
  const auto read = [&](const std::string& text) { return entries_of(read_graph(folder.write("a.mtx", text)).graph); };
  EXPECT_EQ(read("%%MatrixMarket matrix coordinate integer general\n2 2 3\n1 1 3\n1 2 1\n1 2 2\n"),
            (Entries{{0, 0, 3}, {0, 1, 1}, {0, 1, 2}}));
  EXPECT_EQ(read("%%MatrixMarket matrix coordinate pattern symmetric\n2 2 2\n1 1\n2 1\n"),
            (Entries{{0, 0, 1}, {0, 1, 1}, {1, 0, 1}}));
  EXPECT_EQ(read("%%MatrixMarket MATRIX Array Real Symmetric\r\n2 2\r\n1\r\n2\r\n0\r\n"),
            (Entries{{0, 0, 1}, {0, 1, 2}, {1, 0, 2}}));
}

TEST(EdgesReader, NumbersNodesByFirstOccurrenceOrByTheirIntegers) {
  const TemporaryFolder folder;
  const auto ids = [&](const std::string& text) { return read_graph(folder.write("a.edges", text)).ids; };
  EXPECT_EQ(ids("b a\na c\n"), (Names{"b", "a", "c"}));
  EXPECT_EQ(ids("10 9\n9 -1\n"), (Names{"-1", "9", "10"}));
  EXPECT_EQ(ids("1 01\n01 2\n"), (Names{"1", "01", "2"})) << "different texts are different nodes";
  EXPECT_EQ(ids("x y;z w\n"), (Names{"x y", "z w"})) << "the separator is a semicolon";
}

TEST(NpzReader, ReadsLengthsOf64Bits) {
  const TemporaryFolder folder;
  EXPECT_EQ(entries_of(read_graph(folder.write("a.npz", npz_sample(true))).graph), sample_entries);
}

TEST(NpzReader, RefusesEveryTruncatedArchive) {
  const TemporaryFolder folder;
  for (const bool is_wide : {false, true}) {
    const std::string whole = npz_sample(is_wide);
    for (size_t length = 1; length < whole.size(); ++length)
      EXPECT_THROW(read_graph(folder.write("a.npz", whole.substr(0, length))), InvalidInput) << length;
  }
}

TEST(NpzReader, NoDamagedByteOfAnArchiveDoesHarm) {
  for (const bool is_wide : {false, true}) {
    const std::string whole = npz_sample(is_wide);
    const TemporaryFolder folder;
    for (size_t i = 0; i < whole.size(); ++i)
      for (const int change : {0x01, 0x80, 0xFF}) {
        std::string damaged = whole;
        damaged[i] = char(damaged[i] ^ change);
        try {
          const GraphFile file = read_graph(folder.write("a.npz", damaged));
          EXPECT_EQ(file.graph.nodes, 3);
        } catch (const InvalidInput&) {
        }
      }
  }
}

}  // namespace
}  // namespace mbsc::testing
