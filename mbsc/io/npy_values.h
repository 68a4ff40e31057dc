// SPDX-License-Identifier: Apache-2.0
// Converts the values of an NPY array to float32 or float64.
#pragma once

#include <cstdint>

#include "mbsc/io/npy_header.h"

namespace mbsc {

/// The outcome of a conversion, from the best to the worst. The worst value decides.
enum class Conversion {
  exact,
  inexact,     ///< a value is not exact in the target type
  not_finite,  ///< a value is NaN or infinite
};

/// Converts `count` values of a type, beginning at `bytes`.
template <class To>
using Convert = Conversion (*)(const char* bytes, int64_t count, To* to);

/// The conversion from the type of an array to float or double.
template <class To>
Convert<To> converter(NpyType type);

}  // namespace mbsc
