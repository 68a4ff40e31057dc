// SPDX-License-Identifier: Apache-2.0
#include "mbsc/io/write.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <vector>

#include "mbsc/io/output_file.h"

namespace mbsc {
namespace {

constexpr size_t buffer_bytes = 1 << 20;

template <class T>
void write_array(const std::string& path, int64_t rows, int64_t columns, int parts,
                 const std::function<MatrixView<const T>(int)>& part) {
  static_assert(std::endian::native == std::endian::little);
  std::string dict = fmt::format("{{'descr': '<f{}', 'fortran_order': False, 'shape': ({}, {}), }}", sizeof(T), rows,
                                 columns);
  constexpr size_t before_dict = 10, alignment = 64;
  dict.append(alignment - 1 - (before_dict + dict.size()) % alignment, ' ');
  dict += '\n';
  std::string header("\x93NUMPY\x01\x00", 8);
  header += static_cast<char>(dict.size() & 0xff);
  header += static_cast<char>(dict.size() >> 8);

  OutputFile file(path);
  file.write(header + dict);
  const auto row_bytes = static_cast<size_t>(columns) * sizeof(T);
  std::string buffer;
  for (int p = 0; p < parts; ++p) {
    const MatrixView<const T> values = part(p);
    for (int64_t i = 0; i < values.rows; ++i) {
      buffer.append(reinterpret_cast<const char*>(values.row(i)), row_bytes);
      if (buffer.size() < buffer_bytes) continue;
      file.write(buffer);
      buffer.clear();
    }
  }
  file.write(buffer);
  file.finish();
}

}  // namespace

void write_labels(const std::string& path, std::span<const int32_t> labels) {
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

void write_npy(const std::string& path, MatrixView<const float> values) {
  write_array<float>(path, values.rows, values.cols, 1, [&](int) { return values; });
}

void write_npy(const std::string& path, MatrixView<const double> values) {
  write_array<double>(path, values.rows, values.cols, 1, [&](int) { return values; });
}

void write_npy(const std::string& path, int64_t rows, int64_t columns, int parts,
               const std::function<MatrixView<const float>(int)>& part) {
  write_array<float>(path, rows, columns, parts, part);
}

void write_text(const std::string& path, std::string_view text) {
  OutputFile file(path);
  file.write(text);
  file.finish();
}

}  // namespace mbsc
