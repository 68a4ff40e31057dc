// SPDX-License-Identifier: Apache-2.0
// Which rows of a file are read.
#pragma once

#include <cstdint>
#include <string>

#include "mbsc/read.h"

namespace mbsc {

/// The range options.rows, or all `rows` of the file if it is unset. Throws InvalidInput if the file has fewer rows.
/// `name` is the file name for messages.
Range checked_rows(const ReadOptions& options, int64_t rows, const std::string& name);

}  // namespace mbsc
