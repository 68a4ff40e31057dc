// SPDX-License-Identifier: Apache-2.0
#include "mbsc/io/text_chunks.h"

#include <algorithm>
#include <string_view>
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
    const auto wanted = size_t(std::min(left_, int64_t(chunk_bytes_)));
    text.resize(before + wanted);
    const size_t got = stream_.read(text.data() + before, wanted);
    text.resize(before + got);
    left_ -= int64_t(got);
    ended_ = got < wanted || left_ == 0;
    if (ended_ && got == wanted) complete_line(text);
    const size_t newline = text.rfind('\n');
    if (ended_ || newline == std::string::npos) continue;
    line_begin_ = text.substr(newline + 1);
    text.resize(newline + 1);
    break;
  }
  return text;
}

/// Appends the rest of the last line.
void TextChunks::complete_line(std::string& text) {
  constexpr size_t piece = 4096;
  while (!text.empty() && text.back() != '\n') {
    const std::string_view ahead = stream_.peek(piece);
    if (ahead.empty()) return;
    const size_t length = std::min(ahead.size(), ahead.find('\n') == ahead.npos ? ahead.size() : ahead.find('\n') + 1);
    text.append(ahead.substr(0, length));
    stream_.skip(int64_t(length));
  }
}

}  // namespace mbsc
