// SPDX-License-Identifier: Apache-2.0
// Reads the rows of a text file: chunk after chunk, the lines of a chunk in parallel. Two passes
// over a chunk: one counts rows, so that every thread knows where its rows go; the other parses.
// Where a value is not exact in float32, the table becomes float64 and the chunk is parsed again.
// The result does not depend on the threads.
#pragma once

#include <cstdint>
#include <string>

#include "mbsc/io/growing_values.h"
#include "mbsc/io/read.h"
#include "mbsc/io/row_parser.h"
#include "mbsc/io/text_chunks.h"

namespace mbsc {

/// Fills rows, features, values, truth and class names. `text` are the first lines, already taken
/// off `chunks`; they begin at line `first_line`.
Table read_text_table(TextChunks& chunks, std::string text, int64_t first_line, const RowParser& parser,
                      const ReadOptions& options, const std::string& name);

/// Which of a file's `rows` are wanted; throws InvalidInput where there are not that many.
Range checked_rows(const ReadOptions& options, int64_t rows, const std::string& name);

}  // namespace mbsc
