// SPDX-License-Identifier: Apache-2.0
#include "mbsc/io/row_range.h"

#include "mbsc/base/require.h"

namespace mbsc {

Range checked_rows(const ReadOptions& options, int64_t rows, const std::string& name) {
  if (!options.rows) return {0, rows};
  const Range wanted = *options.rows;
  require(0 <= wanted.begin && wanted.begin <= wanted.end, "{}: rows [{}, {}) is not a range", name, wanted.begin,
          wanted.end);
  require(wanted.end <= rows, "{}: rows [{}, {}) were asked for, but there are only {}", name, wanted.begin, wanted.end,
          rows);
  return wanted;
}

}  // namespace mbsc
