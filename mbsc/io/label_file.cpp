// SPDX-License-Identifier: Apache-2.0
// read_labels(): one label a line, or an NPY array of one column.
#include "mbsc/base/require.h"
#include "mbsc/io/class_index.h"
#include "mbsc/io/csv_cell.h"
#include "mbsc/io/file_format.h"
#include "mbsc/io/input_stream.h"
#include "mbsc/io/read.h"
#include "mbsc/io/read_stream.h"
#include "mbsc/io/row_parser.h"
#include "mbsc/io/text_chunks.h"
#include "mbsc/io/text_lines.h"

namespace mbsc {
namespace {

void read_array(InputStream& stream, std::vector<int32_t>& labels, ClassIndex& classes) {
  const Table table = read_stream(stream, {});
  require(table.features == 1, "{}: labels must be one column; there are {}", stream.name(), table.features);
  const Points points = table.points();
  for (int64_t i = 0; i < table.rows; ++i) {
    labels.push_back(classes.index_of(class_name(points.raw(i, 0))));
  }
}

std::string label_of(std::string_view line) {
  constexpr CsvSeparator none{'\n'};
  return unquoted(none.cell_at(line.data(), line.data() + line.size()));
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
        labels.push_back(classes.index_of(line.front() == '"' ? label_of(line) : std::string(line)));
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
  if (head.starts_with(npy_magic)) {
    read_array(stream, file.labels, classes);
  } else {
    require_text(head, stream.name());
    if (head.starts_with(byte_order_mark)) stream.skip(static_cast<int64_t>(byte_order_mark.size()));
    read_lines(stream, file.labels, classes);
  }
  require(!file.labels.empty(), "{}: there are no labels, only blank lines", stream.name());
  file.names = classes.release();
  return file;
}

}  // namespace mbsc
