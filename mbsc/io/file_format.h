// SPDX-License-Identifier: Apache-2.0
// Which format a file has.
#pragma once

#include <string>
#include <string_view>

#include "mbsc/io/read.h"

namespace mbsc {

inline constexpr std::string_view npy_magic = "\x93NUMPY";
inline constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";  ///< of UTF-8

/// By content (NPY's magic bytes, LIBSVM's index:value), then by name. Never automatic.
FileFormat detect_format(std::string_view head, std::string_view name);

/// Throws InvalidInput where the content is no text, naming what it is where that is known.
void require_text(std::string_view head, const std::string& name);

}  // namespace mbsc
