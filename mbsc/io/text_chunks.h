// SPDX-License-Identifier: Apache-2.0
// TextChunks: a stream cut into pieces of whole lines. The next one can be read (and inflated) by
// one thread while others parse the last one. Memory: two chunks, however long the file; a chunk is
// longer where a line is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <optional>
#include <string>

#include "mbsc/io/input_stream.h"

namespace mbsc {

class TextChunks {
 public:
  /// `bytes`: of the lines that begin within so many, the last may be longer.
  TextChunks(InputStream& stream, size_t chunk_bytes, int64_t bytes = std::numeric_limits<int64_t>::max())
      : stream_(stream), chunk_bytes_(chunk_bytes), left_(bytes) {}
  /// Reads the chunk that next() will give. Throws nothing: what goes wrong is thrown by next().
  void read_ahead() noexcept;
  /// The next whole lines; false at the end. Only the last line may lack its newline.
  bool next(std::string& text);

 private:
  std::string read_chunk();
  void end_line(std::string& text);

  InputStream& stream_;
  size_t chunk_bytes_;
  int64_t left_;
  bool ended_ = false;
  std::string line_begin_;  ///< the part of a line after the last newline that was read
  std::optional<std::string> ahead_;
  std::exception_ptr error_;
};

}  // namespace mbsc
