// SPDX-License-Identifier: Apache-2.0
// InputStream: the bytes of a file or of standard input, inflated where they are gzip (known by its
// first two bytes; any number of members, as `cat a.gz b.gz` gives). Memory: one buffer of 256 KB.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mbsc/base/stop_token.h"

namespace mbsc {

class InputStream {
 public:
  /// Opens `path`; "-" is standard input. Throws InvalidInput where that cannot be done.
  explicit InputStream(const std::string& path, StopToken stop = {});
  ~InputStream();
  InputStream(const InputStream&) = delete;
  InputStream& operator=(const InputStream&) = delete;

  /// How messages call it: the path, or "standard input".
  const std::string& name() const { return name_; }
  bool compressed() const { return inflater_ != nullptr; }
  /// Fills `to`; fewer than `count` bytes come only at the end.
  size_t read(char* to, size_t count);
  /// The next bytes, at most `count`, without taking them. Valid until the next call.
  std::string_view peek(size_t count);
  /// Passes over bytes, by seeking where the file allows it; gives how many there were.
  int64_t skip(int64_t bytes);
  /// What is left to read, where it is known without reading: a plain file on disk.
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
  std::string peeked_;
  std::vector<char> raw_;  ///< bytes as they are in the file: [raw_begin_, raw_end_) are not used yet
  size_t raw_begin_ = 0;
  size_t raw_end_ = 0;
  int64_t file_bytes_ = 0;  ///< read from the file so far
  std::unique_ptr<Inflater> inflater_;
};

}  // namespace mbsc
