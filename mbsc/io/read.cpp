// SPDX-License-Identifier: Apache-2.0
// Reading a table or a graph: find the reader of the file in the table of readers, and call it.
#include "mbsc/read.h"

#include "mbsc/base/require.h"
#include "mbsc/comm/agree.h"
#include "mbsc/io/read_stream.h"
#include "mbsc/io/reader.h"
#include "mbsc/io/text_content.h"

namespace mbsc {
namespace {

constexpr size_t head_bytes = 64 << 10;

const Reader& reader_of(InputStream& stream, const ReadOptions& options) {
  const std::string_view head = stream.peek(head_bytes);
  require(!head.empty(), "{}: the file is empty", stream.name());
  const Reader& reader = options.format ? find_reader(*options.format) : detect_reader(head, stream.name());
  if (reader.is_text) require_text(head, stream.name());
  return reader;
}

const Reader& table_reader_of(InputStream& stream, const ReadOptions& options) {
  const Reader& reader = reader_of(stream, options);
  require(!reader.is_graph(), "{}: contains a graph (format {}), not a table", stream.name(), reader.name);
  return reader;
}

GraphFile read_graph(const Reader& reader, InputStream& stream, const ReadOptions& options) {
  require(options.label_column.empty(), "{}: label_column applies to points; the file contains a graph (format {})",
          stream.name(), reader.name);
  GraphFile file = reader.read_graph(stream, options);
  if (stream.compressed()) file.format += ".gz";
  return file;
}

/// The reader of a file that can be read in parts; null for any other file.
const Reader* part_reader_of(const std::string& path, const ReadOptions& options) {
  if (path == "-") return nullptr;
  InputStream stream(path, options.stop);
  if (stream.compressed() || !stream.bytes_left()) return nullptr;
  const Reader& reader = table_reader_of(stream, options);
  return reader.read_part ? &reader : nullptr;
}

}  // namespace

Table read_stream(InputStream& stream, const ReadOptions& options, size_t chunk_bytes) {
  Table table = table_reader_of(stream, options).read(stream, options, chunk_bytes);
  if (stream.compressed()) table.format += ".gz";
  return table;
}

Table read_table(const std::string& path, const ReadOptions& options) {
  if (options.part) {
    const Reader* reader = options.rows ? nullptr : part_reader_of(path, options);
    require(reader != nullptr, "{}: cannot be read in parts", path);
    return reader->read_part(path, options);
  }
  InputStream stream(path, options.stop);
  return read_stream(stream, options);
}

bool can_read_parts(const std::string& path, const ReadOptions& options) {
  return part_reader_of(path, options) != nullptr;
}

int64_t count_rows(const std::string& path, const ReadOptions& options) {
  InputStream stream(path, options.stop);
  return table_reader_of(stream, options).count_rows(stream, options);
}

GraphFile read_graph(const std::string& path, const ReadOptions& options) {
  InputStream stream(path, options.stop);
  const Reader& reader = reader_of(stream, options);
  require(reader.is_graph(), "{}: contains a table (format {}), not a graph", stream.name(), reader.name);
  return read_graph(reader, stream, options);
}

std::optional<int64_t> find_line(const std::string& path, const ReadOptions& options, int64_t row, int64_t column) {
  if (path == "-") return std::nullopt;
  InputStream stream(path, options.stop);
  const Reader& reader = reader_of(stream, options);
  return reader.find_line ? reader.find_line(stream, row, column) : std::nullopt;
}

Content read_content(const std::string& path, const ReadOptions& options, const Comm& comm) {
  Content content;
  if (comm.size() > 1) {
    agree(comm, [&] {  // rank 0 does not look at standard input, which can be read only once
      if (comm.rank() != 0 || path == "-") return;
      InputStream stream(path, options.stop);
      require(!reader_of(stream, options).is_graph(), "{}: a graph is clustered on one rank only; got {}", path,
              comm.size());
    });
    content.rows = read_shared_table(path, options, comm);
    return content;
  }
  InputStream stream(path, options.stop);
  const Reader& reader = reader_of(stream, options);
  if (reader.is_graph()) {
    content.graph = read_graph(reader, stream, options);
  } else {
    content.rows.own = read_stream(stream, options);
    content.rows.n = content.rows.own.rows;
  }
  return content;
}

int64_t GraphFile::memory_bytes() const {
  const int64_t of_value = graph.values == nullptr ? 0 : graph.type == ScalarType::float32 ? 4 : 8;
  return 8 * int64_t(graph.starts.size()) + (4 + of_value) * graph.entries();
}

}  // namespace mbsc
