// SPDX-License-Identifier: Apache-2.0
// The rows of the reader table for separated values. "csv" detects the separator, and it reads any text in which no
// other reader detects its format. "tsv" separates by tabs only. It is used only on request, because "csv" detects tabs
// too.
#include <optional>

#include "mbsc/io/csv_layout.h"
#include "mbsc/io/csv_parser.h"
#include "mbsc/io/text_lines.h"
#include "mbsc/io/text_reader.h"

namespace mbsc {
namespace {

bool has_two_rows(std::string_view text) {
  int rows = 0;
  while (!text.empty() && rows < 2) rows += trim(take_line(text)).empty() ? 0 : 1;
  return rows == 2;
}

/// `separator` is unset if it is to be detected.
FindTextRows find_csv_rows(std::optional<CsvSeparator> separator) {
  return [separator](std::string& text, TextChunks& chunks, const ReadOptions& options, const std::string& name) {
    std::string more;
    while (!has_two_rows(text) && chunks.next(more)) text += more;
    const CsvLayout layout = find_layout(text, separator, options.label_column, name);
    TextRows rows;
    rows.parser = std::make_unique<CsvParser>(layout);
    rows.begin = static_cast<int64_t>(layout.data_begin);
    rows.first_line = layout.data_line;
    rows.format = layout.separator.character == '\t' ? "tsv" : "csv";
    rows.feature_names = layout.feature_names;
    return rows;
  };
}

}  // namespace

const Reader& csv_reader() {
  static const Reader reader = text_reader(
      "csv", [](std::string_view, std::string_view) { return Certainty::fallback; }, find_csv_rows(std::nullopt));
  return reader;
}

const Reader& tsv_reader() {
  static const Reader reader = text_reader(
      "tsv", [](std::string_view, std::string_view) { return Certainty::none; }, find_csv_rows(CsvSeparator{'\t'}));
  return reader;
}

}  // namespace mbsc
