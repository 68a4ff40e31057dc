// SPDX-License-Identifier: Apache-2.0
// RowParser: how a text format parses one line. text_table.h reads the whole file with it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace mbsc {

/// An error in a line. The reader adds the name of the file and the number of the line.
struct LineError {
  std::string message;
  int64_t column = 0;  ///< counted from 1; 0 = the whole line
};

/// The label of a row. `text` is a part of the line. If the line has doubled quotes in the label, `text` is `storage`.
struct Label {
  std::string_view text;
  std::string storage;
};

/// A line is given without its newline. Several threads may call any method at the same time.
class RowParser {
 public:
  virtual ~RowParser() = default;
  virtual bool has_labels() const = 0;
  /// False for a line that is skipped: a blank line or a comment.
  virtual bool is_row(std::string_view line) const = 0;
  /// Whether all rows must have the same number of values.
  virtual bool fixed_width() const = 0;
  /// The number of values in a row, possibly without zeros at its end. The longest row sets the number of features. The
  /// result may be wrong for an invalid line.
  virtual int64_t width(std::string_view line) const = 0;
  /// Writes the `width` values of a row. Returns false if one of them is not exact in the type of `to`; the values are
  /// then unspecified. Throws LineError if the line is invalid. `to` may be null if fixed_width() is false; the line is
  /// then only checked.
  virtual bool parse(std::string_view line, int64_t width, float* to, Label& label) const = 0;
  virtual bool parse(std::string_view line, int64_t width, double* to, Label& label) const = 0;
};

}  // namespace mbsc
