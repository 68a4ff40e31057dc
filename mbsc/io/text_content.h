// SPDX-License-Identifier: Apache-2.0
// Whether the content of a file is text.
#pragma once

#include <string>
#include <string_view>

#include "mbsc/io/input_stream.h"

namespace mbsc {

/// Throws InvalidInput if the first bytes of a file are not text. The message says what they are, if that is known.
/// `name` is the file name for messages.
void require_text(std::string_view head, const std::string& name);

/// Skips the byte order mark of UTF-8 if the stream begins with one. Returns the number of bytes skipped.
int64_t skip_byte_order_mark(InputStream& stream);

}  // namespace mbsc
