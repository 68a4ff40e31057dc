// SPDX-License-Identifier: Apache-2.0
// The row of the writer table for CSV: values with six digits, and no header line.
#include <fmt/format.h>

#include <iterator>

#include "mbsc/io/write.h"
#include "mbsc/io/writer.h"

namespace mbsc {
namespace {

void write_csv(const std::string& path, MatrixView<const float> rows, std::span<const int32_t> classes) {
  std::string text;
  for (int64_t i = 0; i < rows.rows; ++i) {
    for (int64_t f = 0; f < rows.cols; ++f) fmt::format_to(std::back_inserter(text), "{:.6g},", rows(i, f));
    fmt::format_to(std::back_inserter(text), "{}\n", classes[size_t(i)]);
  }
  write_text(path, text);
}

}  // namespace

const Writer& csv_writer() {
  static const Writer writer{".csv", write_csv};
  return writer;
}

}  // namespace mbsc
