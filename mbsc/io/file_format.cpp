// SPDX-License-Identifier: Apache-2.0
#include "mbsc/io/file_format.h"

#include <algorithm>
#include <cctype>

#include "mbsc/base/require.h"
#include "mbsc/io/libsvm.h"

namespace mbsc {
namespace {

struct Foreign {
  std::string_view magic;
  std::string_view what;
};

constexpr Foreign foreign[] = {
    {"PK\x03\x04", "a zip archive; unpack it first (an .npz: write the array with numpy.save)"},
    {"BZh", "compressed by bzip2; only gzip is read"},
    {"\xFD"
     "7zXZ",
     "compressed by xz; only gzip is read"},
    {"\x28\xB5\x2F\xFD", "compressed by zstd; only gzip is read"},
    {"\xFF\xFE", "UTF-16 text; save it as UTF-8"},
    {"\xFE\xFF", "UTF-16 text; save it as UTF-8"},
    {"\x89HDF", "an HDF5 file; write the array with numpy.save"},
    {"PAR1", "a Parquet file; write it as CSV or NPY"},
    {npy_magic, "an NPY file, not text"},
};

std::string lower_case(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

}  // namespace

FileFormat detect_format(std::string_view head, std::string_view name) {
  if (head.starts_with(npy_magic)) return FileFormat::npy;
  if (looks_like_libsvm(head)) return FileFormat::libsvm;
  std::string lower = lower_case(name);
  if (lower.ends_with(".gz")) lower.resize(lower.size() - 3);
  if (lower.ends_with(".npy")) return FileFormat::npy;
  const bool one_column = head.find_first_of(",;\t") == std::string_view::npos;
  const bool libsvm_name = lower.ends_with(".libsvm") || lower.ends_with(".svm") || lower.ends_with(".svmlight");
  return libsvm_name && one_column ? FileFormat::libsvm : FileFormat::csv;
}

void require_text(std::string_view head, const std::string& name) {
  for (const Foreign& kind : foreign) {
    require(!head.starts_with(kind.magic), "{}: is {}", name, kind.what);
  }
  const size_t zero = head.find('\0');
  require(zero == std::string_view::npos, "{}: is neither text nor NPY: byte {} is 0", name, zero);
}

}  // namespace mbsc
