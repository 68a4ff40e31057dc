// SPDX-License-Identifier: Apache-2.0
// read_table(): find the format, choose the reader.
#include "mbsc/io/read.h"

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

Table read_csv(TextChunks& chunks, const ReadOptions& options, const std::string& name) {
  std::string text, more;
  while (!has_two_rows(text) && chunks.next(more)) text += more;
  const CsvLayout layout = detect_layout(text, options, name);
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

}  // namespace

Table read_stream(InputStream& stream, const ReadOptions& options, size_t chunk_bytes) {
  const std::string_view head = stream.peek(head_bytes);
  require(!head.empty(), "{}: the file is empty", stream.name());
  FileFormat format = options.format;
  if (format == FileFormat::automatic) format = detect_format(head, stream.name());

  Table table;
  if (format == FileFormat::npy) {
    table = read_npy(stream, options, chunk_bytes);
  } else {
    require_text(head, stream.name());
    if (head.starts_with(byte_order_mark)) stream.skip(static_cast<int64_t>(byte_order_mark.size()));
    TextChunks chunks(stream, chunk_bytes);
    table = format == FileFormat::libsvm ? read_libsvm(chunks, options, stream.name())
                                         : read_csv(chunks, options, stream.name());
  }
  if (stream.compressed()) table.format += ".gz";
  return table;
}

Table read_table(const std::string& path, const ReadOptions& options) {
  InputStream stream(path, options.stop);
  return read_stream(stream, options);
}

}  // namespace mbsc
