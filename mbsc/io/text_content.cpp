// SPDX-License-Identifier: Apache-2.0
#include "mbsc/io/text_content.h"

#include <algorithm>
#include <cctype>

#include "mbsc/base/require.h"
#include "mbsc/io/reader.h"

namespace mbsc {
namespace {

/// A format that no reader reads.
struct ForeignFormat {
  std::string_view magic;
  std::string_view advice;
};

constexpr ForeignFormat foreign_formats[] = {
    {"PK\x03\x04", "a zip archive; unpack it first (from an .npz file, write one array with numpy.save)"},
    {"BZh", "compressed by bzip2; only gzip is read"},
    {"\xFD"
     "7zXZ",
     "compressed by xz; only gzip is read"},
    {"\x28\xB5\x2F\xFD", "compressed by zstd; only gzip is read"},
    {"\xFF\xFE", "UTF-16 text; save it as UTF-8"},
    {"\xFE\xFF", "UTF-16 text; save it as UTF-8"},
    {"\x89HDF", "an HDF5 file; write the array with numpy.save"},
    {"PAR1", "a Parquet file; write it as CSV or NPY"},
};

std::string upper_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

}  // namespace

void require_text(std::string_view head, const std::string& name) {
  for (const ForeignFormat& format : foreign_formats) {
    require(!head.starts_with(format.magic), "{}: is {}", name, format.advice);
  }
  std::string binary_names;
  for (const Reader* reader : readers()) {
    if (reader->is_text) continue;
    const std::string format = upper_case(reader->name);
    require(reader->detect(head, "") != Certainty::magic, "{}: is a file in {} format, not text", name, format);
    binary_names += " nor " + format;
  }
  const size_t zero = head.find('\0');
  require(zero == std::string_view::npos, "{}: is neither text{}: byte {} is 0", name, binary_names, zero);
}

int64_t skip_byte_order_mark(InputStream& stream) {
  constexpr std::string_view mark = "\xEF\xBB\xBF";
  return stream.peek(mark.size()) == mark ? stream.skip(static_cast<int64_t>(mark.size())) : 0;
}

}  // namespace mbsc
