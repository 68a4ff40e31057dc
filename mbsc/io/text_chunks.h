// SPDX-License-Identifier: Apache-2.0
// TextChunks: a stream cut into pieces of whole lines, the next one read (and inflated) while the
// last one is being parsed. Memory: about three chunks, however long the file; a chunk is longer
// where a line is.
#pragma once

#include <cstddef>
#include <future>
#include <string>

#include "mbsc/io/input_stream.h"

namespace mbsc {

class TextChunks {
 public:
  /// `ahead`: read the next chunk on a thread of its own.
  TextChunks(InputStream& stream, size_t chunk_bytes, bool ahead);
  /// The next whole lines; false at the end. Only the last line may lack its newline.
  bool next(std::string& text);

 private:
  std::string read_chunk();
  void start_reading();

  InputStream& stream_;
  size_t chunk_bytes_;
  bool ahead_;
  bool ended_ = false;
  std::string line_begin_;  ///< the part of a line after the last newline that was read
  std::future<std::string> next_;
};

}  // namespace mbsc
