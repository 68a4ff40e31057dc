// SPDX-License-Identifier: Apache-2.0
// The first line is a header if one of its cells is text and the cell below is not. The separator is the one that
// splits the second line (the first line, if there is only one) into the most numbers.
#include "mbsc/io/csv_layout.h"

#include <algorithm>

#include "mbsc/base/require.h"
#include "mbsc/io/label_column.h"
#include "mbsc/io/number.h"
#include "mbsc/io/row_parser.h"
#include "mbsc/io/text_lines.h"

namespace mbsc {
namespace {

struct NumberedLine {
  std::string_view text;
  int64_t number = 0;  ///< counted from 1; 0 = there is no such line
  size_t begin = 0;    ///< the offset in the text

  bool exists() const { return number > 0; }
};

/// Returns the lines of a text that are not blank, one after the other.
class Lines {
 public:
  explicit Lines(std::string_view text) : text_(text), rest_(text) {}

  NumberedLine next() {
    while (!rest_.empty()) {
      const size_t begin = text_.size() - rest_.size();
      const std::string_view line = take_line(rest_);
      ++number_;
      if (!trim(line).empty()) return {line, number_, begin};
    }
    return {};
  }

 private:
  std::string_view text_, rest_;
  int64_t number_ = 0;
};

std::vector<CellKind> kinds_of(const std::vector<CsvCell>& cells) {
  std::vector<CellKind> kinds;
  for (const CsvCell& cell : cells) {
    double value = 0;
    kinds.push_back(parse_number(trim(cell.text), value));
  }
  return kinds;
}

int64_t count_numbers(const std::vector<CsvCell>& cells) {
  const std::vector<CellKind> kinds = kinds_of(cells);
  return std::count(kinds.begin(), kinds.end(), CellKind::number);
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
    const int64_t numbers = count_numbers(cells);
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
  const std::vector<CellKind> first_kinds = kinds_of(first), second_kinds = kinds_of(second);
  for (size_t c = 0; c < std::min(first.size(), second.size()); ++c) {
    if (static_cast<int64_t>(c) == label_column) continue;
    if (first_kinds[c] == CellKind::text && second_kinds[c] != CellKind::text) return true;
  }
  return false;
}

}  // namespace

CsvLayout find_layout(std::string_view head, std::optional<CsvSeparator> separator, const std::string& label_column,
                      const std::string& name) {
  Lines lines(head);
  const NumberedLine first = lines.next();
  require(first.exists(), "{}: there are no rows, only blank lines", name);
  const NumberedLine second = lines.next();

  CsvLayout layout;
  layout.first_line = layout.data_line = first.number;
  layout.data_begin = first.begin;
  int64_t line = first.number;  // the line that an error message names
  try {
    layout.separator = separator ? *separator : detect_separator(second.exists() ? second.text : first.text);
    const auto cells = layout.separator.split(first.text);
    layout.columns = static_cast<int64_t>(cells.size());
    layout.label_column = find_label_column(label_column, layout.columns, name);
    line = second.number;
    const auto below = second.exists() ? layout.separator.split(second.text) : std::vector<CsvCell>{};
    require(second.exists() || count_numbers(cells) > 0, "{}:{}: no rows follow the header line", name, first.number);
    if (!is_header(cells, below, layout.label_column)) return layout;
    layout.data_line = second.number;
    layout.data_begin = second.begin;
    for (size_t c = 0; c < cells.size(); ++c) {
      if (static_cast<int64_t>(c) != layout.label_column) layout.feature_names.push_back(unquoted(cells[c]));
    }
  } catch (const LineError& error) {
    throw InvalidInput(fmt::format("{}:{}: {}", name, line, error.message));
  }
  return layout;
}

}  // namespace mbsc
