// SPDX-License-Identifier: Apache-2.0
// Splitting a text into lines, and trimming them.
#pragma once

#include <cstring>
#include <string_view>

namespace mbsc {

/// Removes the first line from the text and returns it without its end (\n or \r\n).
inline std::string_view take_line(std::string_view& text) {
  const void* newline = std::memchr(text.data(), '\n', text.size());
  const size_t length =
      newline == nullptr ? text.size() : static_cast<size_t>(static_cast<const char*>(newline) - text.data());
  std::string_view line = text.substr(0, length);
  text.remove_prefix(newline == nullptr ? length : length + 1);
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

inline bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

inline std::string_view trim(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace mbsc
