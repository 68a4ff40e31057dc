// SPDX-License-Identifier: Apache-2.0
// The cells of a line of separated values. Quotes are those of RFC 4180 ("" inside quotes is one quote), except that a
// quoted cell may not contain a newline.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mbsc {

/// A cell without the space and the quotes around it.
struct CsvCell {
  std::string_view text;
  bool doubled_quotes = false;  ///< `text` has "" for one "
  const char* end = nullptr;    ///< the separator after the cell, or the end of the line
};

/// The character between cells. With ' ', cells are separated by any number of spaces and tabs.
struct CsvSeparator {
  char character = ',';

  bool at(const char* p) const { return *p == character || (character == ' ' && *p == '\t'); }
  /// Whether a character is space that may surround a cell.
  bool padding(char c) const { return c == ' ' || (c == '\t' && character != '\t'); }
  const char* skip_padding(const char* p, const char* end) const {
    while (p != end && padding(*p)) ++p;
    return p;
  }
  /// The line without the padding at its end.
  std::string_view trim_end(std::string_view line) const {
    while (!line.empty() && padding(line.back())) line.remove_suffix(1);
    return line;
  }
  /// The cell that begins at `begin`. Throws LineError if its quotes are wrong.
  CsvCell cell_at(const char* begin, const char* end) const;
  /// The cells of a line.
  std::vector<CsvCell> split(std::string_view line) const;
};

/// The text of a cell, with " for every "".
std::string unquoted(const CsvCell& cell);

}  // namespace mbsc
