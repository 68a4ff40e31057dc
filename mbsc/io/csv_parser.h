// SPDX-License-Identifier: Apache-2.0
// CsvParser: parses the lines of separated values.
#pragma once

#include <cstdint>
#include <string_view>

#include "mbsc/io/csv_layout.h"
#include "mbsc/io/row_parser.h"

namespace mbsc {

class CsvParser final : public RowParser {
 public:
  explicit CsvParser(const CsvLayout& layout) : layout_(layout) {}
  bool has_labels() const override { return layout_.label_column >= 0; }
  bool is_row(std::string_view line) const override;
  bool fixed_width() const override { return true; }
  int64_t width(std::string_view) const override { return layout_.columns - (has_labels() ? 1 : 0); }
  bool parse(std::string_view line, int64_t width, float* to, Label& label) const override;
  bool parse(std::string_view line, int64_t width, double* to, Label& label) const override;

 private:
  template <class T>
  bool parse_cells(std::string_view line, T* to, Label& label) const;
  const char* parse_unusual(const char* begin, const char* end, int64_t column, double& value) const;
  void require_columns(std::string_view line) const;

  CsvLayout layout_;
};

}  // namespace mbsc
