// SPDX-License-Identifier: Apache-2.0
// Numbers in text: decimal, correctly rounded to double (fast_float; Lemire, "Number parsing at a
// gigabyte per second", 2021), with a short cut for integers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace mbsc {

/// What a cell holds.
enum class CellKind { number, not_finite, empty, text };

/// The general case of read_number(): signs, fractions, exponents, "nan", "inf".
const char* read_real(const char* begin, const char* end, double& value);

/// Reads the number at `begin`. Returns where it ends, or nullptr where there is none.
inline const char* read_number(const char* begin, const char* end, double& value) {
  constexpr int exact_digits = 15;  // below 2^53
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

/// Reads a cell that has no space around it. `value` is set for numbers and for what is not finite.
CellKind parse_number(std::string_view cell, double& value);

/// Stores a value; whether it is the same afterwards.
inline bool store(double value, float& to) {
  to = static_cast<float>(value);
  return static_cast<double>(to) == value;
}
inline bool store(double value, double& to) {
  to = value;
  return true;
}

/// A cell as messages show it: quoted, control characters replaced, cut after 40 bytes.
std::string shown(std::string_view cell);

}  // namespace mbsc
