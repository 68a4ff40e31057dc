// SPDX-License-Identifier: Apache-2.0
// The header of NPY, the format of numpy.save: versions 1 to 3; floats, integers and bool; little-endian; C or Fortran
// order. https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mbsc/io/input_stream.h"

namespace mbsc {

inline constexpr std::string_view npy_magic = "\x93NUMPY";

enum class NpyType { boolean, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float32, float64 };

/// What the header says. The views are parts of the text of the header.
struct NpyDict {
  std::string_view type;  ///< such as "<f4"
  bool fortran_order = false;
  std::vector<int64_t> shape;
};

/// Removes the header from the bytes of an array, so that the values are left. `name` is for messages. Throws
/// InvalidInput if the header is not valid.
NpyDict take_npy_dict(std::string_view& bytes, const std::string& name);

/// The type of numbers, and its size in bytes.
struct NpyNumber {
  NpyType type = NpyType::float32;
  int64_t bytes = 4;
};
/// The number of a type such as "<f4". Throws InvalidInput for any other type.
NpyNumber parse_npy_type(std::string_view type, const std::string& name);

struct NpyHeader {
  NpyType type = NpyType::float32;
  int64_t value_bytes = 4;
  bool fortran_order = false;
  int64_t rows = 0;
  int64_t columns = 0;
};

/// Reads the header, so that the stream continues with the values. Throws InvalidInput if the array is not a table of
/// numbers.
NpyHeader read_npy_header(InputStream& stream);

}  // namespace mbsc
