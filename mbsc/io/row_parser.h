// SPDX-License-Identifier: Apache-2.0
// RowParser: what the text formats have to say about a line. text_table.h does the rest.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace mbsc {

/// What is wrong with a line. The reader adds file and line.
struct LineError {
  std::string message;
  int64_t column = 0;  ///< counted from 1; 0 = the whole line
};

/// The label of a row: a piece of the line, or of `storage` where it is written otherwise there
/// (quotes).
struct Label {
  std::string_view text;
  std::string storage;
};

/// Lines come without their newline. All methods may be called by many threads at once.
class RowParser {
 public:
  virtual ~RowParser() = default;
  virtual bool has_labels() const = 0;
  /// False for a line that is passed over: blank, or a comment.
  virtual bool is_row(std::string_view line) const = 0;
  /// Whether every line must have the same number of values.
  virtual bool fixed_width() const = 0;
  /// How many values the row has at least; the longest row decides for all. May be wrong for a bad
  /// line.
  virtual int64_t width(std::string_view line) const = 0;
  /// Writes the `width` values of a row. False where one of them is not exact in the type of `to`;
  /// the values are then unspecified. Throws LineError.
  virtual bool parse(std::string_view line, int64_t width, float* to, Label& label) const = 0;
  virtual bool parse(std::string_view line, int64_t width, double* to, Label& label) const = 0;
};

}  // namespace mbsc
