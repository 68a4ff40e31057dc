// SPDX-License-Identifier: Apache-2.0
// Which column holds the labels.
#pragma once

#include <cstdint>
#include <string>

namespace mbsc {

/// From "", "first", "last" or a number counted from 1, to a column counted from 0; -1 = none.
/// Throws InvalidInput where there is no such column, or none beside it. `name` of the file is for
/// messages.
int64_t find_label_column(const std::string& wanted, int64_t columns, const std::string& name);

}  // namespace mbsc
