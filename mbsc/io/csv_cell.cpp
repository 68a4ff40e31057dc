// SPDX-License-Identifier: Apache-2.0
#include "mbsc/io/csv_cell.h"

#include "mbsc/io/number.h"
#include "mbsc/io/row_parser.h"

namespace mbsc {

CsvCell CsvSeparator::cell_at(const char* begin, const char* end) const {
  const char* p = skip_padding(begin, end);
  CsvCell cell;
  if (p != end && *p == '"') {
    const char* first = ++p;
    for (; p != end; ++p) {
      if (*p != '"') continue;
      if (p + 1 == end || p[1] != '"') break;
      cell.doubled_quotes = true;
      ++p;
    }
    if (p == end) throw LineError{"a quote is opened but not closed on this line"};
    cell.text = {first, p};
    cell.end = character == ' ' ? p + 1 : skip_padding(p + 1, end);
    if (cell.end != end && !at(cell.end)) {
      throw LineError{"there is text after the closing quote of " + shown(cell.text)};
    }
    return cell;
  }
  const char* first = p;
  while (p != end && !at(p)) ++p;
  cell.end = p;
  cell.text = trim_end({first, p});
  return cell;
}

std::vector<CsvCell> CsvSeparator::split(std::string_view line) const {
  line = trim_end(line);
  const char* end = line.data() + line.size();
  std::vector<CsvCell> cells;
  for (const char* p = line.data();; ++p) {
    cells.push_back(cell_at(p, end));
    p = cells.back().end;
    if (p == end) return cells;
  }
}

std::string unquoted(const CsvCell& cell) {
  std::string text(cell.text);
  if (!cell.doubled_quotes) return text;
  for (size_t at = text.find("\"\""); at != std::string::npos; at = text.find("\"\"", at + 1)) {
    text.erase(at, 1);
  }
  return text;
}

}  // namespace mbsc
