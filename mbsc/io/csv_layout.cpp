// SPDX-License-Identifier: Apache-2.0
// A header is a first line with text in a column where the second line has a number. The separator
// is the one that cuts the second line (where there is none, the first) into the most numbers.
#include <algorithm>

#include "mbsc/base/require.h"
#include "mbsc/io/csv.h"
#include "mbsc/io/label_column.h"
#include "mbsc/io/number.h"
#include "mbsc/io/text_lines.h"

namespace mbsc {
namespace {

struct NumberedLine {
  std::string_view text;
  int64_t number = 0;  ///< from 1; 0 = there is none
  size_t begin = 0;    ///< offset in the head
};

NumberedLine next_row(std::string_view head, std::string_view& rest, int64_t& number) {
  while (!rest.empty()) {
    const size_t begin = head.size() - rest.size();
    const std::string_view line = take_line(rest);
    ++number;
    if (!trim(line).empty()) return {line, number, begin};
  }
  return {};
}

std::vector<CellKind> kinds(const std::vector<CsvCell>& cells) {
  std::vector<CellKind> result;
  for (const CsvCell& cell : cells) {
    double value = 0;
    result.push_back(parse_number(trim(cell.text), value));
  }
  return result;
}

CsvSeparator detect_separator(std::string_view line) {
  constexpr char candidates[] = {'\t', ';', ',', ' '};
  CsvSeparator best{','};
  int64_t best_numbers = -1;
  size_t best_cells = 0;
  for (const char candidate : candidates) {
    const CsvSeparator separator{candidate};
    std::vector<CsvCell> cells;
    try {
      cells = separator.split(line);
    } catch (const LineError&) {
      continue;
    }
    const auto cell_kinds = kinds(cells);
    const int64_t numbers = std::count(cell_kinds.begin(), cell_kinds.end(), CellKind::number);
    const bool text_only = numbers == 0 && best_numbers == 0;
    if (cells.size() > 1 && (numbers > best_numbers || (text_only && cells.size() > best_cells))) {
      best = separator;
      best_numbers = numbers;
      best_cells = cells.size();
    }
  }
  return best;
}

bool is_header(const std::vector<CsvCell>& first, const std::vector<CsvCell>& second, int64_t label_column) {
  const auto first_kinds = kinds(first), second_kinds = kinds(second);
  for (size_t c = 0; c < std::min(first.size(), second.size()); ++c) {
    if (static_cast<int64_t>(c) == label_column) continue;
    if (first_kinds[c] == CellKind::text && second_kinds[c] != CellKind::text) return true;
  }
  return false;
}

bool is_text(const std::vector<CsvCell>& cells) {
  const auto cell_kinds = kinds(cells);
  return std::count(cell_kinds.begin(), cell_kinds.end(), CellKind::number) == 0;
}

}  // namespace

CsvLayout detect_layout(std::string_view head, const ReadOptions& options, const std::string& name) {
  std::string_view rest = head;
  int64_t number = 0;
  const NumberedLine first = next_row(head, rest, number);
  require(first.number > 0, "{}: there are no rows, only blank lines", name);
  const NumberedLine second = next_row(head, rest, number);

  CsvLayout layout;
  layout.first_line = layout.data_line = first.number;
  layout.data_begin = first.begin;
  int64_t line = first.number;
  try {
    layout.separator = options.format == FileFormat::tsv
                           ? CsvSeparator{'\t'}
                           : detect_separator(second.number > 0 ? second.text : first.text);
    const auto cells = layout.separator.split(first.text);
    layout.columns = static_cast<int64_t>(cells.size());
    layout.label_column = find_label_column(options.label_column, layout.columns, name);
    line = second.number;
    const auto below = second.number > 0 ? layout.separator.split(second.text) : std::vector<CsvCell>{};
    require(second.number > 0 || !is_text(cells), "{}:{}: a header line, but no rows follow", name, first.number);
    if (!is_header(cells, below, layout.label_column)) return layout;
    layout.data_line = second.number;
    layout.data_begin = second.begin;
    for (size_t c = 0; c < cells.size(); ++c) {
      if (static_cast<int64_t>(c) != layout.label_column) {
        layout.feature_names.push_back(unquoted(cells[c]));
      }
    }
  } catch (const LineError& error) {
    throw InvalidInput(fmt::format("{}:{}: {}", name, line, error.message));
  }
  return layout;
}

}  // namespace mbsc
