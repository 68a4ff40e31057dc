// SPDX-License-Identifier: Apache-2.0
// Writing labels and text.
#include "mbsc/io/write.h"

#include <charconv>
#include <string>

#include "mbsc/io/output_file.h"

namespace mbsc {

void write_labels(const std::string& path, std::span<const int32_t> labels, std::span<const std::string> ids) {
  constexpr size_t buffer_bytes = 1 << 20;
  OutputFile file(path);
  std::string buffer;
  for (size_t i = 0; i < labels.size(); ++i) {
    if (buffer.size() > buffer_bytes) {
      file.write(buffer);
      buffer.clear();
    }
    if (!ids.empty()) {
      buffer += ids[i];
      buffer += '\t';
    }
    char digits[12];  // -2147483648
    buffer.append(digits, std::to_chars(digits, digits + sizeof digits, labels[i]).ptr);
    buffer += '\n';
  }
  file.write(buffer);
  file.finish();
}

void write_text(const std::string& path, std::string_view text) {
  OutputFile file(path);
  file.write(text);
  file.finish();
}

}  // namespace mbsc
