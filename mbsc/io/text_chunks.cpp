// SPDX-License-Identifier: Apache-2.0
#include "mbsc/io/text_chunks.h"

#include <utility>

namespace mbsc {

TextChunks::TextChunks(InputStream& stream, size_t chunk_bytes, bool ahead)
    : stream_(stream), chunk_bytes_(chunk_bytes), ahead_(ahead) {
  start_reading();
}

void TextChunks::start_reading() {
  const auto when = ahead_ ? std::launch::async : std::launch::deferred;
  next_ = std::async(when, [this] { return read_chunk(); });
}

bool TextChunks::next(std::string& text) {
  if (!next_.valid()) return false;
  text = next_.get();
  if (!ended_) start_reading();
  return !text.empty();
}

std::string TextChunks::read_chunk() {
  std::string text = std::exchange(line_begin_, {});
  for (;;) {
    const size_t before = text.size();
    text.resize(before + chunk_bytes_);
    const size_t got = stream_.read(text.data() + before, chunk_bytes_);
    text.resize(before + got);
    if (got < chunk_bytes_) {
      ended_ = true;
      return text;
    }
    const size_t newline = text.rfind('\n');
    if (newline != std::string::npos) {
      line_begin_ = text.substr(newline + 1);
      text.resize(newline + 1);
      return text;
    }
  }
}

}  // namespace mbsc
