// SPDX-License-Identifier: Apache-2.0
// Cells of a line of separated values. Quotes as in RFC 4180 ("" inside quotes is one quote),
// except that a quoted cell may not contain a newline.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mbsc {

/// One cell, without the space and the quotes around it.
struct CsvCell {
  std::string_view text;
  bool doubled_quotes = false;  ///< `text` has "" where one " is meant
  const char* end = nullptr;    ///< the separator after it, or the end of the line
};

/// ' ' separates by any run of spaces and tabs.
struct CsvSeparator {
  char character = ',';

  bool at(const char* p) const { return *p == character || (character == ' ' && *p == '\t'); }
  /// Space that does not count: everywhere but where it separates.
  bool padding(char c) const { return c == ' ' || (c == '\t' && character != '\t'); }
  const char* skip_padding(const char* p, const char* end) const {
    while (p != end && padding(*p)) ++p;
    return p;
  }
  /// The line without padding at its end (and, where padding separates, at its begin).
  std::string_view trim_end(std::string_view line) const {
    while (!line.empty() && padding(line.back())) line.remove_suffix(1);
    return line;
  }
  /// The cell that begins at `begin`. Throws LineError where a quote is not closed.
  CsvCell cell_at(const char* begin, const char* end) const;
  std::vector<CsvCell> split(std::string_view line) const;
};

/// With "" turned into ".
std::string unquoted(const CsvCell& cell);

}  // namespace mbsc
