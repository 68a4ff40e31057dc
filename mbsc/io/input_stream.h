// SPDX-License-Identifier: Apache-2.0
// InputStream: the bytes of a file or of standard input. Data that begins with the magic bytes of gzip is decompressed.
// It may consist of several gzip members, as in the output of `cat a.gz b.gz`. Memory: one buffer of 256 KB.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mbsc/options.h"

namespace mbsc {

class InputStream {
 public:
  /// Opens `path`; "-" is standard input. Throws InvalidInput if the file cannot be opened.
  explicit InputStream(const std::string& path, StopToken stop = {});
  ~InputStream();
  InputStream(const InputStream&) = delete;
  InputStream& operator=(const InputStream&) = delete;

  /// The name in messages: the path, or "standard input".
  const std::string& name() const { return name_; }
  bool compressed() const { return inflater_ != nullptr; }
  /// Reads `count` bytes and returns how many there were: fewer only at the end of the file.
  size_t read(char* to, size_t count);
  /// The next bytes, at most `count`; they stay in the stream. The result is valid until the next call.
  std::string_view peek(size_t count);
  /// Skips bytes, by seeking if the file allows it. Returns how many there were.
  int64_t skip(int64_t bytes);
  /// The number of bytes that are left to read. Known only for a plain file on disk.
  std::optional<int64_t> bytes_left() const;

 private:
  struct Inflater;
  size_t read_file(char* to, size_t count);
  bool refill();
  size_t take_raw(char* to, size_t count);
  size_t inflate_into(char* to, size_t count);
  bool next_member();

  std::string name_;
  StopToken stop_;
  int file_ = -1;
  bool on_disk_ = false;
  std::string peeked_;     ///< decompressed bytes that peek() has read
  std::vector<char> raw_;  ///< bytes of the file, not decompressed; [raw_begin_, raw_end_) are not used yet
  size_t raw_begin_ = 0;
  size_t raw_end_ = 0;
  int64_t file_bytes_ = 0;  ///< the number of bytes read from the file so far
  std::unique_ptr<Inflater> inflater_;
};

}  // namespace mbsc
