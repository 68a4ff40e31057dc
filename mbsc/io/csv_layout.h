// SPDX-License-Identifier: Apache-2.0
// The layout of a file of separated values: the separator, the columns, and whether there is a header line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mbsc/io/csv_cell.h"

namespace mbsc {

struct CsvLayout {
  CsvSeparator separator;
  int64_t columns = 0;        ///< including the column of labels
  int64_t label_column = -1;  ///< counted from 0; -1 = none
  int64_t first_line = 1;     ///< the number of the first line that is not blank, counted from 1
  int64_t data_line = 1;      ///< the number of the line of the first row, counted from 1
  size_t data_begin = 0;      ///< the offset of that line in the text
  std::vector<std::string> feature_names;
};

/// Finds the layout from the first two rows of a file. `head` must contain both, or the whole file. If `separator` is
/// unset, it is detected. `label_column` is ReadOptions::label_column; `name` is the file name for messages.
CsvLayout find_layout(std::string_view head, std::optional<CsvSeparator> separator, const std::string& label_column,
                      const std::string& name);

}  // namespace mbsc
