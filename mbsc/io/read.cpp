// SPDX-License-Identifier: Apache-2.0
// read_table(): find the format, choose the reader.
#include "mbsc/io/read.h"

#include <algorithm>
#include <memory>

#include "mbsc/base/require.h"
#include "mbsc/io/csv.h"
#include "mbsc/io/file_format.h"
#include "mbsc/io/libsvm.h"
#include "mbsc/io/npy.h"
#include "mbsc/io/read_stream.h"
#include "mbsc/io/text_lines.h"
#include "mbsc/io/text_table.h"

namespace mbsc {
namespace {

constexpr size_t head_bytes = 64 << 10;

bool has_two_rows(std::string_view text) {
  int rows = 0;
  while (!text.empty() && rows < 2) rows += trim(take_line(text)).empty() ? 0 : 1;
  return rows == 2;
}

/// The layout, from the first lines, which are taken off the chunks.
CsvLayout find_layout(TextChunks& chunks, const ReadOptions& options, const std::string& name, std::string& text) {
  std::string more;
  while (!has_two_rows(text) && chunks.next(more)) text += more;
  return detect_layout(text, options, name);
}

Table read_csv(TextChunks& chunks, const ReadOptions& options, const std::string& name) {
  std::string text;
  const CsvLayout layout = find_layout(chunks, options, name, text);
  text.erase(0, layout.data_begin);
  Table table = read_text_table(chunks, std::move(text), layout.data_line, CsvParser(layout), options, name);
  table.feature_names = layout.feature_names;
  table.format = layout.separator.character == '\t' ? "tsv" : "csv";
  return table;
}

Table read_libsvm(TextChunks& chunks, const ReadOptions& options, const std::string& name) {
  std::string text;
  chunks.next(text);
  Table table = read_text_table(chunks, std::move(text), 1, LibsvmParser(), options, name);
  table.format = "libsvm";
  return table;
}

FileFormat format_of(InputStream& stream, const ReadOptions& options) {
  const std::string_view head = stream.peek(head_bytes);
  require(!head.empty(), "{}: the file is empty", stream.name());
  const FileFormat format =
      options.format == FileFormat::automatic ? detect_format(head, stream.name()) : options.format;
  if (format != FileFormat::npy) require_text(head, stream.name());
  return format;
}

/// How the rows of a text file are parsed, where they begin, and on which line.
struct TextRows {
  std::unique_ptr<RowParser> parser;
  int64_t begin = 0, line = 1;
  std::string format;
  std::vector<std::string> feature_names;
};

TextRows find_text_rows(const std::string& path, const ReadOptions& options) {
  InputStream stream(path, options.stop);
  const FileFormat format = format_of(stream, options);
  TextRows rows;
  if (stream.peek(head_bytes).starts_with(byte_order_mark)) {
    rows.begin = static_cast<int64_t>(byte_order_mark.size());
    stream.skip(rows.begin);
  }
  if (format == FileFormat::libsvm) {
    rows.parser = std::make_unique<LibsvmParser>();
    rows.format = "libsvm";
    return rows;
  }
  TextChunks chunks(stream, head_bytes);
  std::string text;
  const CsvLayout layout = find_layout(chunks, options, stream.name(), text);
  rows.parser = std::make_unique<CsvParser>(layout);
  rows.begin += static_cast<int64_t>(layout.data_begin);
  rows.line = layout.data_line;
  rows.format = layout.separator.character == '\t' ? "tsv" : "csv";
  rows.feature_names = layout.feature_names;
  return rows;
}

/// Lines that begin before a byte of a file.
int64_t lines_before(const std::string& path, int64_t begin, const StopToken& stop) {
  InputStream stream(path, stop);
  std::string piece(default_chunk_bytes, 0);
  int64_t lines = 0;
  while (begin > 0) {
    const size_t got = stream.read(piece.data(), size_t(std::min<int64_t>(begin, int64_t(piece.size()))));
    if (got == 0) break;
    lines += std::count(piece.begin(), piece.begin() + static_cast<int64_t>(got), '\n');
    begin -= static_cast<int64_t>(got);
  }
  return lines;
}

/// Passes over the rest of a line that began before this byte, and gives where the next one begins.
int64_t begin_of_line(InputStream& stream, int64_t at) {
  at -= 1;  // the byte before may end a line
  stream.skip(at);
  for (std::string_view ahead; !(ahead = stream.peek(4096)).empty();) {
    const size_t newline = ahead.find('\n');
    const auto length = static_cast<int64_t>(newline == ahead.npos ? ahead.size() : newline + 1);
    stream.skip(length);
    at += length;
    if (newline != std::string_view::npos) break;
  }
  return at;
}

/// The bytes of a part: from the begin of a line on; the last line that begins before the end is its own.
struct Share {
  int64_t begin, end;
};
Share find_share(const std::string& path, const TextRows& rows, const ReadOptions& options) {
  InputStream stream(path, options.stop);
  const int64_t all = stream.bytes_left().value_or(0) - rows.begin, parts = options.part->count;
  const auto place = [&](int64_t part) { return rows.begin + all / parts * part + all % parts * part / parts; };
  const int64_t begin = place(options.part->index), end = place(options.part->index + 1);
  return {begin == rows.begin ? begin : begin_of_line(stream, begin), end};
}

Table read_share(const std::string& path, const TextRows& rows, Share share, int64_t first_line,
                 const ReadOptions& options) {
  InputStream stream(path, options.stop);
  stream.skip(share.begin);
  TextChunks chunks(stream, default_chunk_bytes, std::max<int64_t>(0, share.end - share.begin));
  std::string text;
  chunks.next(text);
  Table table = read_text_table(chunks, std::move(text), first_line, *rows.parser, options, stream.name());
  table.format = rows.format;
  table.feature_names = rows.feature_names;
  return table;
}

Table read_part(const std::string& path, const ReadOptions& options) {
  const TextRows rows = find_text_rows(path, options);
  const Share share = find_share(path, rows, options);
  try {
    return read_share(path, rows, share, rows.line, options);
  } catch (const InvalidInput&) {
    if (share.begin == rows.begin) throw;
    // Again with the number of the line, which only a message needs.
    return read_share(path, rows, share, 1 + lines_before(path, share.begin, options.stop), options);
  }
}

}  // namespace

bool can_read_parts(const std::string& path, const ReadOptions& options) {
  if (path == "-") return false;
  InputStream stream(path, options.stop);
  return !stream.compressed() && stream.bytes_left() && format_of(stream, options) != FileFormat::npy;
}

int64_t count_rows(const std::string& path, const ReadOptions& options) {
  InputStream stream(path, options.stop);
  if (format_of(stream, options) == FileFormat::npy) return read_npy_header(stream).rows;
  const TextRows rows = find_text_rows(path, options);
  stream.skip(rows.begin);
  TextChunks chunks(stream, default_chunk_bytes);
  int64_t count = 0;
  for (std::string text; chunks.next(text);)
    for (std::string_view left = text; !left.empty();) count += rows.parser->is_row(take_line(left)) ? 1 : 0;
  return count;
}

Table read_stream(InputStream& stream, const ReadOptions& options, size_t chunk_bytes) {
  const FileFormat format = format_of(stream, options);
  Table table;
  if (format == FileFormat::npy) {
    table = read_npy(stream, options, chunk_bytes);
  } else {
    if (stream.peek(head_bytes).starts_with(byte_order_mark))
      stream.skip(static_cast<int64_t>(byte_order_mark.size()));
    TextChunks chunks(stream, chunk_bytes);
    table = format == FileFormat::libsvm ? read_libsvm(chunks, options, stream.name())
                                         : read_csv(chunks, options, stream.name());
  }
  if (stream.compressed()) table.format += ".gz";
  return table;
}

Table read_table(const std::string& path, const ReadOptions& options) {
  if (options.part) {
    require(!options.rows && can_read_parts(path, options), "{}: cannot be read in parts", path);
    return read_part(path, options);
  }
  InputStream stream(path, options.stop);
  return read_stream(stream, options);
}

}  // namespace mbsc
