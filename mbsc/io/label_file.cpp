// SPDX-License-Identifier: Apache-2.0
// read_labels(): a text file with one label per line, or a binary file (NPY) of one column.
#include "mbsc/base/require.h"
#include "mbsc/io/class_index.h"
#include "mbsc/io/csv_cell.h"
#include "mbsc/io/input_stream.h"
#include "mbsc/io/read_stream.h"
#include "mbsc/io/reader.h"
#include "mbsc/io/row_parser.h"
#include "mbsc/io/text_chunks.h"
#include "mbsc/io/text_content.h"
#include "mbsc/io/text_lines.h"
#include "mbsc/read.h"

namespace mbsc {
namespace {

/// The file name is ignored: a file of labels may have any name.
bool is_binary(std::string_view head) { return !detect_reader(head, "").is_text; }

void read_column(InputStream& stream, std::vector<int32_t>& labels, ClassIndex& classes) {
  const Table table = read_stream(stream, {});
  require(table.features == 1, "{}: labels must be one column; there are {}", stream.name(), table.features);
  const Points points = table.points();
  for (int64_t i = 0; i < table.rows; ++i) {
    labels.push_back(classes.index_of(class_name(points.raw(i, 0))));
  }
}

/// The label of a line that begins with a quote.
std::string quoted_label(std::string_view line) {
  constexpr CsvSeparator never{'\n'};  // a line is one cell
  return unquoted(never.cell_at(line.data(), line.data() + line.size()));
}

void read_lines(InputStream& stream, std::vector<int32_t>& labels, ClassIndex& classes) {
  TextChunks chunks(stream, default_chunk_bytes);
  std::string chunk;
  int64_t number = 0;
  while (chunks.next(chunk)) {
    std::string_view text = chunk;
    while (!text.empty()) {
      const std::string_view line = trim(take_line(text));
      ++number;
      if (line.empty()) continue;
      try {
        labels.push_back(classes.index_of(line.front() == '"' ? quoted_label(line) : std::string(line)));
      } catch (const LineError& error) {
        throw InvalidInput(fmt::format("{}:{}: {}", stream.name(), number, error.message));
      }
    }
  }
}

}  // namespace

LabelFile read_labels(const std::string& path) {
  InputStream stream(path);
  LabelFile file;
  ClassIndex classes;
  const std::string_view head = stream.peek(4096);
  require(!head.empty(), "{}: the file is empty", stream.name());
  if (is_binary(head)) {
    read_column(stream, file.labels, classes);
  } else {
    require_text(head, stream.name());
    skip_byte_order_mark(stream);
    read_lines(stream, file.labels, classes);
  }
  require(!file.labels.empty(), "{}: there are no labels, only blank lines", stream.name());
  file.names = classes.release();
  return file;
}

}  // namespace mbsc
