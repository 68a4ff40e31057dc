// SPDX-License-Identifier: Apache-2.0
// text_reader(): the reader of a text format whose rows are lines. The format defines how it is detected, where its
// rows begin and how a line is parsed. Reading, counting and dividing into parts are the same for all text formats.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "mbsc/io/reader.h"
#include "mbsc/io/row_parser.h"
#include "mbsc/io/text_chunks.h"

namespace mbsc {

/// Where the rows of a file begin, and how they are parsed.
struct TextRows {
  std::unique_ptr<RowParser> parser;
  int64_t begin = 0;       ///< the offset of the first row in the text, which has no byte order mark
  int64_t first_line = 1;  ///< the number of the line of the first row, counted from 1
  std::string format;      ///< Table::format
  std::vector<std::string> feature_names;
};

/// Finds the rows of a file. `text` has the first lines of the file. If they are not enough, the function appends more
/// lines from `chunks`. `name` is the file name for messages.
using FindTextRows =
    std::function<TextRows(std::string& text, TextChunks& chunks, const ReadOptions& options, const std::string& name)>;

Reader text_reader(std::string name, Certainty (*detect)(std::string_view head, std::string_view file_name),
                   FindTextRows find_rows);

}  // namespace mbsc
