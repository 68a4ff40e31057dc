// SPDX-License-Identifier: Apache-2.0
#include "mbsc/io/number.h"

#include <fast_float/fast_float.h>

#include <cmath>
#include <system_error>

namespace mbsc {

const char* read_real(const char* begin, const char* end, double& value) {
  const bool plus = begin != end && *begin == '+';
  if (plus) ++begin;
  if (begin == end || (plus && *begin == '-')) return nullptr;
  const auto [after, error] = fast_float::from_chars(begin, end, value);
  if (error == std::errc::invalid_argument) return nullptr;
  return after;
}

CellKind parse_number(std::string_view cell, double& value) {
  if (cell.empty()) return CellKind::empty;
  const char* end = cell.data() + cell.size();
  if (read_number(cell.data(), end, value) != end) return CellKind::text;
  return std::isfinite(value) ? CellKind::number : CellKind::not_finite;
}

std::string shown(std::string_view cell) {
  constexpr size_t longest = 40;
  std::string text = "'";
  for (const char c : cell.substr(0, longest)) {
    const bool control = static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    text += control ? '?' : c;
  }
  return text + (cell.size() > longest ? "...'" : "'");
}

}  // namespace mbsc
