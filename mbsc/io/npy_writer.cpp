// SPDX-License-Identifier: Apache-2.0
// Writing NPY arrays (npy_header.h), and the row of the writer table for them.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "mbsc/io/npy_header.h"
#include "mbsc/io/output_file.h"
#include "mbsc/io/write.h"
#include "mbsc/io/writer.h"

namespace mbsc {
namespace {

/// The header of version 1.0. Its length is a multiple of 64 bytes.
std::string npy_header(size_t value_bytes, int64_t rows, int64_t columns) {
  static_assert(std::endian::native == std::endian::little);
  std::string dict =
      fmt::format("{{'descr': '<f{}', 'fortran_order': False, 'shape': ({}, {}), }}", value_bytes, rows, columns);
  constexpr size_t before_dict = 10, alignment = 64;
  dict.append(alignment - 1 - (before_dict + dict.size()) % alignment, ' ');
  dict += '\n';
  std::string header(npy_magic);
  header += {'\x01', '\x00'};  // the version
  header += static_cast<char>(dict.size() & 0xff);
  header += static_cast<char>(dict.size() >> 8);
  return header + dict;
}

template <class T>
void write_array(const std::string& path, int64_t rows, int64_t columns, int parts,
                 const std::function<MatrixView<const T>(int)>& part) {
  constexpr size_t buffer_bytes = 1 << 20;
  OutputFile file(path);
  file.write(npy_header(sizeof(T), rows, columns));
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

void write_labeled(const std::string& path, MatrixView<const float> rows, std::span<const int32_t> classes) {
  Matrix<float> table(rows.rows, rows.cols + 1);
  for (int64_t i = 0; i < rows.rows; ++i) {
    std::copy_n(rows.row(i), rows.cols, table.row(i));
    table(i, rows.cols) = static_cast<float>(classes[size_t(i)]);
  }
  write_npy(path, MatrixView<const float>(table.view()));
}

}  // namespace

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

const Writer& npy_writer() {
  static const Writer writer{".npy", write_labeled};
  return writer;
}

}  // namespace mbsc
