// SPDX-License-Identifier: Apache-2.0
// The header is the text of a Python dict: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }.
#include "mbsc/io/npy_header.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <vector>

#include "mbsc/base/require.h"
#include "mbsc/io/number.h"
#include "mbsc/io/text_lines.h"

namespace mbsc {
namespace {

static_assert(std::endian::native == std::endian::little);

std::string take_bytes(InputStream& stream, size_t count) {
  std::string bytes(count, '\0');
  const size_t got = stream.read(bytes.data(), count);
  require(got == count, "{}: the NPY header is truncated: expected {} more bytes, found {}", stream.name(), count, got);
  return bytes;
}

std::string read_dict(InputStream& stream) {
  const std::string begin = take_bytes(stream, 8);
  require(begin.starts_with(npy_magic), "{}: is not an NPY file: it does not begin with \\x93NUMPY", stream.name());
  const int version = static_cast<unsigned char>(begin[6]);
  require(1 <= version && version <= 3, "{}: NPY version {} is not supported; versions 1 to 3 are", stream.name(),
          version);
  const std::string digits = take_bytes(stream, version == 1 ? 2 : 4);
  size_t length = 0;
  for (size_t i = digits.size(); i-- > 0;) length = length << 8 | static_cast<unsigned char>(digits[i]);
  require(length <= size_t{1} << 20, "{}: an NPY header of {} bytes is not plausible", stream.name(), length);
  return take_bytes(stream, length);
}

/// The text from the value of a key to the end of the dict.
std::string_view value_of(std::string_view dict, std::string_view key, const std::string& name) {
  const size_t at = dict.find(fmt::format("'{}':", key));
  require(at != std::string_view::npos, "{}: the NPY header has no '{}'", name, key);
  return trim(dict.substr(at + key.size() + 3));
}

struct NamedType {
  std::string_view descr;  ///< without the byte order
  NpyType type;
  int64_t bytes;
};

constexpr NamedType named_types[] = {
    {"b1", NpyType::boolean, 1}, {"i1", NpyType::int8, 1},    {"i2", NpyType::int16, 2},   {"i4", NpyType::int32, 4},
    {"i8", NpyType::int64, 8},   {"u1", NpyType::uint8, 1},   {"u2", NpyType::uint16, 2},  {"u4", NpyType::uint32, 4},
    {"u8", NpyType::uint64, 8},  {"f4", NpyType::float32, 4}, {"f8", NpyType::float64, 8},
};

void parse_type(std::string_view value, NpyHeader& header, const std::string& name) {
  require(value.starts_with('\''), "{}: records (structured NPY arrays) are not supported; save one plain array", name);
  const std::string_view descr = value.substr(1, value.find('\'', 1) - 1);
  for (const NamedType& named : named_types) {
    if (descr.empty() || descr.substr(1) != named.descr) continue;
    require(descr[0] != '>' || named.bytes == 1,
            "{}: big-endian values ('{}') are not supported; save array.astype('<{}')", name, descr, named.descr);
    header.type = named.type;
    header.value_bytes = named.bytes;
    return;
  }
  throw InvalidInput(fmt::format(
      "{}: values of type {} are not supported; floats of 4 or 8 bytes, integers and bool are", name, shown(descr)));
}

std::vector<int64_t> parse_shape(std::string_view value, const std::string& name) {
  const size_t close = value.find(')');
  require(value.starts_with('(') && close != std::string_view::npos, "{}: the NPY header has a bad shape {}", name,
          shown(value));
  std::string_view rest = value.substr(1, close - 1);
  std::vector<int64_t> shape;
  while (!trim(rest).empty()) {
    const size_t comma = std::min(rest.find(','), rest.size());
    const std::string_view number = trim(rest.substr(0, comma));
    int64_t length = 0;
    const auto [after, error] = std::from_chars(number.data(), number.data() + number.size(), length);
    require(error == std::errc() && after == number.data() + number.size() && length >= 0,
            "{}: the NPY header has a bad shape {}", name, shown(value.substr(0, close + 1)));
    shape.push_back(length);
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return shape;
}

}  // namespace

NpyHeader read_npy_header(InputStream& stream) {
  const std::string dict = read_dict(stream);
  const std::string& name = stream.name();
  NpyHeader header;
  parse_type(value_of(dict, "descr", name), header, name);
  header.fortran_order = value_of(dict, "fortran_order", name).starts_with("True");
  const std::vector<int64_t> shape = parse_shape(value_of(dict, "shape", name), name);
  require(shape.size() == 1 || shape.size() == 2, "{}: the array must have 2 dimensions (or 1); it has {}", name,
          shape.size());
  header.rows = shape[0];
  header.columns = shape.size() == 2 ? shape[1] : 1;
  require(header.rows > 0 && header.columns > 0, "{}: the array is empty: {} x {}", name, header.rows, header.columns);
  const double bytes = static_cast<double>(header.rows) * static_cast<double>(header.columns) * 8;
  require(bytes < 0x1p62, "{}: an array of {} x {} is not plausible", name, header.rows, header.columns);
  return header;
}

}  // namespace mbsc
