// SPDX-License-Identifier: Apache-2.0
#include "mbsc/io/text_chunks.h"

#include <utility>

namespace mbsc {

void TextChunks::read_ahead() noexcept {
  if (ahead_ || error_) return;
  try {
    ahead_ = read_chunk();
  } catch (...) {
    error_ = std::current_exception();
  }
}

bool TextChunks::next(std::string& text) {
  read_ahead();
  if (error_) std::rethrow_exception(error_);
  text = std::move(*ahead_);
  ahead_.reset();
  return !text.empty();
}

std::string TextChunks::read_chunk() {
  std::string text = std::exchange(line_begin_, {});
  while (!ended_) {
    const size_t before = text.size();
    text.resize(before + chunk_bytes_);
    const size_t got = stream_.read(text.data() + before, chunk_bytes_);
    text.resize(before + got);
    ended_ = got < chunk_bytes_;
    const size_t newline = text.rfind('\n');
    if (ended_ || newline == std::string::npos) continue;
    line_begin_ = text.substr(newline + 1);
    text.resize(newline + 1);
    break;
  }
  return text;
}

}  // namespace mbsc
