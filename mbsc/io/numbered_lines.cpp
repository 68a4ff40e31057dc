// SPDX-License-Identifier: Apache-2.0
#include "mbsc/io/numbered_lines.h"

#include <fmt/format.h>

#include "mbsc/input.h"
#include "mbsc/io/number.h"
#include "mbsc/io/read_stream.h"
#include "mbsc/io/row_parser.h"
#include "mbsc/io/text_content.h"
#include "mbsc/io/text_lines.h"

namespace mbsc {

NumberedLines::NumberedLines(InputStream& stream) : name_(stream.name()), chunks_(stream, default_chunk_bytes) {
  skip_byte_order_mark(stream);
}

bool NumberedLines::next(std::string_view& line) {
  if (rest_.empty()) {
    if (!chunks_.next(chunk_)) return false;
    rest_ = chunk_;
  }
  line = trim(take_line(rest_));
  ++number_;
  return true;
}

void NumberedLines::fail(const std::string& message) const {
  throw InvalidInput(fmt::format("{}:{}: {}", name_, number_, message));
}

std::string_view take_word(std::string_view& text) {
  size_t length = 0;
  while (length < text.size() && !is_blank(text[length])) ++length;
  const std::string_view word = text.substr(0, length);
  text = trim(text.substr(length));
  return word;
}

double parse_weight(std::string_view cell) {
  double weight = 0;
  const CellKind kind = parse_number(cell, weight);
  if (kind == CellKind::empty) throw LineError{"there is no weight"};
  if (kind == CellKind::text) throw LineError{fmt::format("the weight {} is not a number", shown(cell))};
  if (kind == CellKind::not_finite || weight < 0)
    throw LineError{fmt::format("the weight is {}; weights must be finite and not negative", shown(cell))};
  return weight;
}

}  // namespace mbsc
