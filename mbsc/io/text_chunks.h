// SPDX-License-Identifier: Apache-2.0
// TextChunks: splits a stream into chunks of whole lines. One thread can read (and decompress) the next chunk while
// others parse the current one. Memory: two chunks, regardless of the length of the file. A line that is longer than a
// chunk makes its chunk longer.
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
  /// Reads the lines that begin within the next `bytes` of the stream.
  TextChunks(InputStream& stream, size_t chunk_bytes, int64_t bytes = std::numeric_limits<int64_t>::max())
      : stream_(stream), chunk_bytes_(chunk_bytes), left_(bytes) {}
  /// Reads the chunk that next() will return. If that fails, next() throws the error.
  void read_ahead() noexcept;
  /// Sets `text` to the next chunk. Returns false at the end. Only the last line may lack its newline.
  bool next(std::string& text);

 private:
  std::string read_chunk();
  void complete_line(std::string& text);

  InputStream& stream_;
  size_t chunk_bytes_;
  int64_t left_;  ///< the number of bytes that may still be read
  bool ended_ = false;
  std::string line_begin_;  ///< what was read after the last newline
  std::optional<std::string> ahead_;
  std::exception_ptr error_;
};

}  // namespace mbsc
