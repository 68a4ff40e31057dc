// SPDX-License-Identifier: Apache-2.0
#include "mbsc/io/csv_parser.h"

#include <fmt/format.h>

#include <cmath>

#include "mbsc/io/number.h"
#include "mbsc/io/text_lines.h"

namespace mbsc {

bool CsvParser::is_row(std::string_view line) const {
  for (const char c : line) {
    if (!is_blank(c)) return true;
  }
  return false;
}

bool CsvParser::parse(std::string_view line, int64_t, float* to, Label& label) const {
  return parse_cells(line, to, label);
}

bool CsvParser::parse(std::string_view line, int64_t, double* to, Label& label) const {
  return parse_cells(line, to, label);
}

template <class T>
bool CsvParser::parse_cells(std::string_view line, T* to, Label& label) const {
  const CsvSeparator separator = layout_.separator;
  const std::string_view cells = separator.trim_end(line);
  const char* p = cells.data();
  const char* const end = p + cells.size();
  for (int64_t column = 0; column < layout_.columns; ++column) {
    p = separator.skip_padding(p, end);
    if (column == layout_.label_column) {
      const CsvCell cell = separator.cell_at(p, end);
      label.text = cell.text;
      if (cell.doubled_quotes) label.text = label.storage = unquoted(cell);
      p = cell.end;
      if (cell.text.empty()) {
        require_columns(line);
        throw LineError{"the label is empty", column + 1};
      }
    } else {
      double value = 0;
      const char* after = read_number(p, end, value);
      if (after == nullptr || (after != end && !separator.at(after)) || !std::isfinite(value)) {
        try {
          after = parse_unusual(p, end, column, value);
        } catch (const LineError&) {
          require_columns(line);
          throw;
        }
      }
      p = after;
      if (!store(value, *to++)) return false;
    }
    if (p == end) {
      if (column + 1 < layout_.columns) require_columns(line);
      return true;
    }
    ++p;
  }
  require_columns(line);
  return true;
}

// Parses a cell that is not a plain number: it has quotes, is followed by space, or is invalid.
const char* CsvParser::parse_unusual(const char* begin, const char* end, int64_t column, double& value) const {
  const CsvCell cell = layout_.separator.cell_at(begin, end);
  switch (parse_number(trim(cell.text), value)) {
    case CellKind::number:
      return cell.end;
    case CellKind::empty:
      throw LineError{"the cell is empty; missing values are not allowed", column + 1};
    case CellKind::not_finite:
      throw LineError{shown(cell.text) + " is not allowed: values must be finite", column + 1};
    case CellKind::text:
      break;
  }
  std::string message = shown(cell.text) + " is not a number";
  if (!has_labels() && column + 1 == layout_.columns) {
    message += " (if this column holds the classes: --label-column last)";
  } else if (!has_labels() && column == 0) {
    message += " (if this column holds the classes: --label-column first)";
  }
  throw LineError{message, column + 1};
}

void CsvParser::require_columns(std::string_view line) const {
  const auto columns = static_cast<int64_t>(layout_.separator.split(line).size());
  if (columns == layout_.columns) return;
  throw LineError{fmt::format("{} value{}, but line {} has {}", columns, columns == 1 ? "" : "s", layout_.first_line,
                              layout_.columns)};
}

}  // namespace mbsc
