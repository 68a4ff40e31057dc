// SPDX-License-Identifier: Apache-2.0
// The column of the labels.
#pragma once

#include <cstdint>
#include <string>

namespace mbsc {

/// Converts ReadOptions::label_column to a column counted from 0; -1 = none. Throws InvalidInput if there is no such
/// column, or no other column. `name` is the file name for messages.
int64_t find_label_column(const std::string& wanted, int64_t columns, const std::string& name);

}  // namespace mbsc
