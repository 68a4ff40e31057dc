// SPDX-License-Identifier: Apache-2.0
// Parsing decimal numbers, correctly rounded to double (fast_float; Lemire, "Number parsing at a gigabyte per second",
// 2021). Short integers have a faster path.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace mbsc {

/// The content of a cell. not_finite: NaN, infinity, or a number that is too large for a double.
enum class CellKind { number, not_finite, empty, text };

/// The general case of read_number(): signs, fractions, exponents, "nan" and "inf".
const char* read_real(const char* begin, const char* end, double& value);

/// Reads the number at `begin`. Returns its end, or nullptr if there is no number.
inline const char* read_number(const char* begin, const char* end, double& value) {
  constexpr int exact_digits = 15;  // 10^15 < 2^53: a double represents every such integer
  int64_t integer = 0;
  const char* p = begin;
  for (; p != end && p - begin < exact_digits && *p >= '0' && *p <= '9'; ++p) {
    integer = 10 * integer + (*p - '0');
  }
  const bool ended = p == end || *p == ',' || *p == ' ' || *p == '\t' || *p == ';';
  if (p == begin || !ended) return read_real(begin, end, value);
  value = static_cast<double>(integer);
  return p;
}

/// Parses a cell that has no space around it. Sets `value` if the cell is a number or not_finite.
CellKind parse_number(std::string_view cell, double& value);

/// Stores a value. Returns whether it is exact in the type of `to`.
inline bool store(double value, float& to) {
  to = static_cast<float>(value);
  return static_cast<double>(to) == value;
}
inline bool store(double value, double& to) {
  to = value;
  return true;
}

/// A cell as it appears in messages: in quotes, without control characters, and at most 40 bytes of it.
std::string shown(std::string_view cell);

}  // namespace mbsc
