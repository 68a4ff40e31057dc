// SPDX-License-Identifier: Apache-2.0
// Reads the rows of a text file, one chunk after the other. Threads share the lines of a chunk and make two passes over
// them. The first pass counts the rows, so that every thread knows where its rows go; the second pass parses them. If a
// value is not exact in float32, the table becomes float64 and the chunk is parsed again. The result does not depend on
// the number of threads.
#pragma once

#include <cstdint>
#include <string>

#include "mbsc/io/row_parser.h"
#include "mbsc/io/text_chunks.h"
#include "mbsc/read.h"

namespace mbsc {

/// Reads the rows, the classes and the class names. `text` has the first lines, which are no longer in `chunks`; it
/// begins with line `first_line` of the file. `name` is the file name for messages.
Table read_text_table(TextChunks& chunks, std::string text, int64_t first_line, const RowParser& parser,
                      const ReadOptions& options, const std::string& name);

}  // namespace mbsc
