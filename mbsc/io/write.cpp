// SPDX-License-Identifier: Apache-2.0
// Writing labels and text.
#include "mbsc/io/write.h"

#include <charconv>
#include <vector>

#include "mbsc/io/output_file.h"

namespace mbsc {

void write_labels(const std::string& path, std::span<const int32_t> labels) {
  constexpr size_t buffer_bytes = 1 << 20;
  constexpr size_t longest = 12;  // -2147483648 and a newline
  OutputFile file(path);
  std::vector<char> buffer(buffer_bytes);
  char* const begin = buffer.data();
  char* const end = begin + buffer.size();
  char* at = begin;
  for (const int32_t label : labels) {
    if (static_cast<size_t>(end - at) < longest) {
      file.write({begin, at});
      at = begin;
    }
    at = std::to_chars(at, end, label).ptr;
    *at++ = '\n';
  }
  file.write({begin, at});
  file.finish();
}

void write_text(const std::string& path, std::string_view text) {
  OutputFile file(path);
  file.write(text);
  file.finish();
}

}  // namespace mbsc
