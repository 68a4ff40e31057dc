// SPDX-License-Identifier: Apache-2.0
// NPY, the format of numpy.save: versions 1 to 3; floats, integers and bool, little-endian; C or
// Fortran order. https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "mbsc/io/input_stream.h"
#include "mbsc/io/read.h"

namespace mbsc {

enum class NpyType { boolean, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float32, float64 };

struct NpyHeader {
  NpyType type = NpyType::float32;
  int64_t value_bytes = 4;
  bool fortran_order = false;
  int64_t rows = 0;
  int64_t columns = 0;
};

/// Takes the header off the stream. Throws InvalidInput where the array cannot be a table of
/// numbers.
NpyHeader read_npy_header(InputStream& stream);

/// Reads the stream as a table; Fortran order stays as it is (Table::column_major).
Table read_npy(InputStream& stream, const ReadOptions& options, size_t chunk_bytes);

}  // namespace mbsc
