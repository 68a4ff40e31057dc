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

void require_all(size_t got, size_t count, const std::string& name) {
  require(got == count, "{}: the NPY header is truncated: expected {} more bytes, found {}", name, count, got);
}

/// The text of the dict. take(count) returns the next bytes, as a std::string or a std::string_view.
template <class Take>
auto take_dict(const Take& take, const std::string& name) {
  const auto begin = take(8);
  require(begin.starts_with(npy_magic), "{}: is not an NPY file: it does not begin with \\x93NUMPY", name);
  const int version = static_cast<unsigned char>(begin[6]);
  require(1 <= version && version <= 3, "{}: NPY version {} is not supported; versions 1 to 3 are", name, version);
  const auto digits = take(version == 1 ? 2 : 4);
  size_t length = 0;
  for (size_t i = digits.size(); i-- > 0;) length = length << 8 | static_cast<unsigned char>(digits[i]);
  require(length <= size_t{1} << 20, "{}: an NPY header of {} bytes is not plausible", name, length);
  return take(length);
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

std::string_view unquote(std::string_view value, const std::string& name) {
  require(value.starts_with('\''), "{}: records (structured NPY arrays) are not supported; save one plain array", name);
  return value.substr(1, value.find('\'', 1) - 1);
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

NpyDict parse_dict(std::string_view dict, const std::string& name) {
  return {unquote(value_of(dict, "descr", name), name), value_of(dict, "fortran_order", name).starts_with("True"),
          parse_shape(value_of(dict, "shape", name), name)};
}

}  // namespace

NpyNumber parse_npy_type(std::string_view type, const std::string& name) {
  for (const NamedType& named : named_types) {
    if (type.empty() || type.substr(1) != named.descr) continue;
    require(type[0] != '>' || named.bytes == 1,
            "{}: big-endian values ('{}') are not supported; save array.astype('<{}')", name, type, named.descr);
    return {named.type, named.bytes};
  }
  throw InvalidInput(fmt::format(
      "{}: values of type {} are not supported; floats of 4 or 8 bytes, integers and bool are", name, shown(type)));
}

NpyDict take_npy_dict(std::string_view& bytes, const std::string& name) {
  const auto take = [&](size_t count) {
    require_all(std::min(count, bytes.size()), count, name);
    const std::string_view taken = bytes.substr(0, count);
    bytes.remove_prefix(count);
    return taken;
  };
  return parse_dict(take_dict(take, name), name);
}

NpyHeader read_npy_header(InputStream& stream) {
  const std::string& name = stream.name();
  const auto take = [&](size_t count) {
    std::string bytes(count, '\0');
    require_all(stream.read(bytes.data(), count), count, name);
    return bytes;
  };
  const std::string text = take_dict(take, name);
  const NpyDict dict = parse_dict(text, name);
  const NpyNumber number = parse_npy_type(dict.type, name);
  NpyHeader header;
  header.type = number.type;
  header.value_bytes = number.bytes;
  header.fortran_order = dict.fortran_order;
  const std::vector<int64_t>& shape = dict.shape;
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
