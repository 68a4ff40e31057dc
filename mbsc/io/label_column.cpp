// SPDX-License-Identifier: Apache-2.0
#include "mbsc/io/label_column.h"

#include <charconv>

#include "mbsc/base/require.h"

namespace mbsc {

int64_t find_label_column(const std::string& wanted, int64_t columns, const std::string& name) {
  if (wanted.empty()) return -1;
  int64_t column = wanted == "first" ? 1 : columns;
  if (wanted != "first" && wanted != "last") {
    const char* end = wanted.data() + wanted.size();
    const auto [after, error] = std::from_chars(wanted.data(), end, column);
    require(error == std::errc() && after == end && 1 <= column && column <= columns,
            "{}: label_column must be first, last or in [1, {}]; got {}", name, columns, wanted);
  }
  require(columns > 1, "{}: the column of labels is the only one; there are no features", name);
  return column - 1;
}

}  // namespace mbsc
