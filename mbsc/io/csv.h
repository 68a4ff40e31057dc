// SPDX-License-Identifier: Apache-2.0
// Separated values: comma, tab, semicolon or space, with or without a header line. The first two
// rows decide.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mbsc/io/csv_cell.h"
#include "mbsc/io/read.h"
#include "mbsc/io/row_parser.h"

namespace mbsc {

/// How the file is laid out.
struct CsvLayout {
  CsvSeparator separator;
  int64_t columns = 0;        ///< including the labels
  int64_t label_column = -1;  ///< counted from 0; -1 = none
  int64_t first_line = 1;     ///< the first line that is not blank: header or row
  int64_t data_line = 1;      ///< where the rows begin; lines are counted from 1
  size_t data_begin = 0;      ///< the same as an offset in the text
  std::vector<std::string> feature_names;
};

/// Finds the layout from the begin of a file, which must have its first two rows if it has as many.
/// `name` of the file is for messages.
CsvLayout detect_layout(std::string_view head, const ReadOptions& options, const std::string& name);

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
