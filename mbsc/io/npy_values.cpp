// SPDX-License-Identifier: Apache-2.0
#include "mbsc/io/npy_values.h"

#include <cmath>
#include <cstring>

#include "mbsc/io/number.h"

namespace mbsc {
namespace {

template <class From, class To>
Conversion convert(const char* bytes, int64_t count, To* to) {
  bool exact = true, finite = true;
  for (int64_t i = 0; i < count; ++i) {
    From value;
    std::memcpy(&value, bytes + i * static_cast<int64_t>(sizeof(From)), sizeof(From));
    const double wide = static_cast<double>(value);
    exact &= store(wide, to[i]);
    finite &= std::isfinite(wide);
  }
  if (!finite) return Conversion::not_finite;
  return exact ? Conversion::exact : Conversion::inexact;
}

}  // namespace

template <class To>
Convert<To> converter(NpyType type) {
  switch (type) {
    case NpyType::boolean:
      return convert<uint8_t, To>;
    case NpyType::int8:
      return convert<int8_t, To>;
    case NpyType::int16:
      return convert<int16_t, To>;
    case NpyType::int32:
      return convert<int32_t, To>;
    case NpyType::int64:
      return convert<int64_t, To>;
    case NpyType::uint8:
      return convert<uint8_t, To>;
    case NpyType::uint16:
      return convert<uint16_t, To>;
    case NpyType::uint32:
      return convert<uint32_t, To>;
    case NpyType::uint64:
      return convert<uint64_t, To>;
    case NpyType::float32:
      return convert<float, To>;
    case NpyType::float64:
      return convert<double, To>;
  }
  return nullptr;
}

template Convert<float> converter<float>(NpyType type);
template Convert<double> converter<double>(NpyType type);

}  // namespace mbsc
