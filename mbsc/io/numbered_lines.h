// SPDX-License-Identifier: Apache-2.0
// NumberedLines: the lines of a text file, one after the other, and their numbers. For formats whose lines are parsed in
// order, by one thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "mbsc/io/input_stream.h"
#include "mbsc/io/text_chunks.h"

namespace mbsc {

class NumberedLines {
 public:
  /// Skips the byte order mark.
  explicit NumberedLines(InputStream& stream);

  /// Sets `line` to the next line, without its end and the blanks around it. Returns false at the end of the file. The
  /// line is valid until the next call.
  bool next(std::string_view& line);
  /// The number of the last line, counted from 1; 0 before the first call.
  int64_t number() const { return number_; }
  /// Throws InvalidInput with the name of the file, the number of the last line, and the message.
  [[noreturn]] void fail(const std::string& message) const;

 private:
  std::string name_;
  TextChunks chunks_;
  std::string chunk_;
  std::string_view rest_;  ///< of the chunk
  int64_t number_ = 0;
};

/// Removes the first word from `text`, and the blanks after it. Returns the word, which is empty if there is none.
std::string_view take_word(std::string_view& text);

/// Parses the weight of an edge. Throws LineError unless it is a finite number that is not negative.
double parse_weight(std::string_view cell);

}  // namespace mbsc
