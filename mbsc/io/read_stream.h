// SPDX-License-Identifier: Apache-2.0
// Like read_table(), but for an open stream and with a given chunk size. Tests use tiny chunks.
#pragma once

#include <cstddef>

#include "mbsc/io/input_stream.h"
#include "mbsc/read.h"

namespace mbsc {

inline constexpr size_t default_chunk_bytes = 4 << 20;

Table read_stream(InputStream& stream, const ReadOptions& options, size_t chunk_bytes = default_chunk_bytes);

}  // namespace mbsc
