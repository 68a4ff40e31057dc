// SPDX-License-Identifier: Apache-2.0
// Reading a table: find the reader of the file in the table of readers, and call it.
#include "mbsc/read.h"

#include "mbsc/base/require.h"
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

/// The reader of a file that can be read in parts; null for any other file.
const Reader* part_reader_of(const std::string& path, const ReadOptions& options) {
  if (path == "-") return nullptr;
  InputStream stream(path, options.stop);
  if (stream.compressed() || !stream.bytes_left()) return nullptr;
  const Reader& reader = reader_of(stream, options);
  return reader.read_part ? &reader : nullptr;
}

}  // namespace

Table read_stream(InputStream& stream, const ReadOptions& options, size_t chunk_bytes) {
  Table table = reader_of(stream, options).read(stream, options, chunk_bytes);
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
  return reader_of(stream, options).count_rows(stream, options);
}

}  // namespace mbsc
