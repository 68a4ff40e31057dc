// SPDX-License-Identifier: Apache-2.0
#include "mbsc/io/text_reader.h"

#include <algorithm>
#include <utility>

#include "mbsc/io/read_stream.h"
#include "mbsc/io/text_content.h"
#include "mbsc/io/text_lines.h"
#include "mbsc/io/text_table.h"

namespace mbsc {
namespace {

/// A text file whose first lines have been read.
struct OpenText {
  OpenText(const FindTextRows& find_rows, InputStream& stream, const ReadOptions& options, size_t chunk_bytes)
      : mark_bytes(skip_byte_order_mark(stream)), chunks(stream, chunk_bytes) {
    chunks.next(text);
    rows = find_rows(text, chunks, options, stream.name());
    text.erase(0, static_cast<size_t>(rows.begin));
  }

  int64_t mark_bytes;  ///< the length of the byte order mark
  TextChunks chunks;
  std::string text;  ///< the lines already taken from `chunks`, beginning with the first data row
  TextRows rows;
};

Table read_rows(TextChunks& chunks, std::string text, const TextRows& rows, int64_t first_line,
                const ReadOptions& options, const std::string& name) {
  Table table = read_text_table(chunks, std::move(text), first_line, *rows.parser, options, name);
  table.format = rows.format;
  table.feature_names = rows.feature_names;
  return table;
}

Table read_text(const FindTextRows& find_rows, InputStream& stream, const ReadOptions& options, size_t chunk_bytes) {
  OpenText file(find_rows, stream, options, chunk_bytes);
  return read_rows(file.chunks, std::move(file.text), file.rows, file.rows.first_line, options, stream.name());
}

int64_t count_text_rows(const FindTextRows& find_rows, InputStream& stream, const ReadOptions& options) {
  OpenText file(find_rows, stream, options, default_chunk_bytes);
  int64_t count = 0;
  do {
    for (std::string_view rest = file.text; !rest.empty();) count += file.rows.parser->is_row(take_line(rest)) ? 1 : 0;
  } while (file.chunks.next(file.text));
  return count;
}

/// The number of newlines before a byte of a file.
int64_t newlines_before(const std::string& path, int64_t end, const StopToken& stop) {
  InputStream stream(path, stop);
  std::string piece(default_chunk_bytes, 0);
  int64_t newlines = 0;
  while (end > 0) {
    const size_t got = stream.read(piece.data(), size_t(std::min<int64_t>(end, int64_t(piece.size()))));
    if (got == 0) break;
    newlines += std::count(piece.begin(), piece.begin() + static_cast<int64_t>(got), '\n');
    end -= static_cast<int64_t>(got);
  }
  return newlines;
}

/// Skips to the first line that begins at byte `at` or later, and returns its offset. `at` must be positive.
int64_t skip_to_line(InputStream& stream, int64_t at) {
  at -= 1;  // A line begins at byte `at` if the byte before is a newline.
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

/// The bytes of a part. A line belongs to the part if it begins in [begin, end); `begin` is the beginning of a line.
struct ByteRange {
  int64_t begin, end;
};

ByteRange find_bytes(const std::string& path, int64_t rows_begin, const ReadOptions& options) {
  InputStream stream(path, options.stop);
  const int64_t all = stream.bytes_left().value_or(0) - rows_begin, parts = options.part->count;
  const auto boundary = [&](int64_t part) { return rows_begin + all / parts * part + all % parts * part / parts; };
  const int64_t begin = boundary(options.part->index), end = boundary(options.part->index + 1);
  return {begin == rows_begin ? begin : skip_to_line(stream, begin), end};
}

Table read_bytes(const std::string& path, const TextRows& rows, ByteRange bytes, int64_t first_line,
                 const ReadOptions& options) {
  InputStream stream(path, options.stop);
  stream.skip(bytes.begin);
  TextChunks chunks(stream, default_chunk_bytes, std::max<int64_t>(0, bytes.end - bytes.begin));
  std::string text;
  chunks.next(text);
  return read_rows(chunks, std::move(text), rows, first_line, options, stream.name());
}

Table read_text_part(const FindTextRows& find_rows, const std::string& path, const ReadOptions& options) {
  constexpr size_t head_bytes = 64 << 10;
  InputStream stream(path, options.stop);
  const OpenText file(find_rows, stream, options, head_bytes);
  const int64_t rows_begin = file.mark_bytes + file.rows.begin;
  const ByteRange bytes = find_bytes(path, rows_begin, options);
  try {
    return read_bytes(path, file.rows, bytes, file.rows.first_line, options);
  } catch (const InvalidInput&) {
    if (bytes.begin == rows_begin) throw;
    // The message needs the number of the line, so the lines before this part are counted and the part is read again.
    return read_bytes(path, file.rows, bytes, 1 + newlines_before(path, bytes.begin, options.stop), options);
  }
}

}  // namespace

Reader text_reader(std::string name, Certainty (*detect)(std::string_view head, std::string_view file_name),
                   FindTextRows find_rows) {
  Reader reader;
  reader.name = std::move(name);
  reader.detect = detect;
  reader.read = [find_rows](InputStream& stream, const ReadOptions& options, size_t chunk_bytes) {
    return read_text(find_rows, stream, options, chunk_bytes);
  };
  reader.count_rows = [find_rows](InputStream& stream, const ReadOptions& options) {
    return count_text_rows(find_rows, stream, options);
  };
  reader.read_part = [find_rows](const std::string& path, const ReadOptions& options) {
    return read_text_part(find_rows, path, options);
  };
  return reader;
}

}  // namespace mbsc
