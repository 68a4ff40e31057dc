// SPDX-License-Identifier: Apache-2.0
// read_table() of an open stream, with a choice of the chunk size: tests use tiny chunks.
#pragma once

#include <cstddef>

#include "mbsc/io/input_stream.h"
#include "mbsc/read.h"

namespace mbsc {

inline constexpr size_t default_chunk_bytes = 4 << 20;

Table read_stream(InputStream& stream, const ReadOptions& options, size_t chunk_bytes = default_chunk_bytes);

}  // namespace mbsc
