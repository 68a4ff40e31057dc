// SPDX-License-Identifier: Apache-2.0
// The gzip format is RFC 1952. zlib verifies the checksums.
#include "mbsc/io/input_stream.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "mbsc/base/require.h"

namespace mbsc {
namespace {

constexpr size_t raw_bytes = 256 << 10;

bool is_gzip(std::string_view bytes) { return bytes.size() >= 2 && bytes[0] == '\x1f' && bytes[1] == '\x8b'; }

}  // namespace

struct InputStream::Inflater {
  z_stream stream{};
  bool ended = false;
  Inflater() {
    constexpr int gzip_only = 16;
    require(inflateInit2(&stream, MAX_WBITS + gzip_only) == Z_OK, "zlib could not be initialized");
  }
  ~Inflater() { inflateEnd(&stream); }
};

InputStream::InputStream(const std::string& path, StopToken stop)
    : name_(path == "-" ? "standard input" : path), stop_(stop), raw_(raw_bytes) {
  file_ = path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  require(file_ >= 0, "{}: cannot be opened: {}", name_, std::strerror(errno));
  try {
    struct stat status {};
    require(::fstat(file_, &status) == 0, "{}: {}", name_, std::strerror(errno));
    require(!S_ISDIR(status.st_mode), "{}: is a directory, not a file", name_);
    on_disk_ = S_ISREG(status.st_mode);
    while (raw_end_ < 2) {
      const size_t got = read_file(raw_.data() + raw_end_, raw_.size() - raw_end_);
      if (got == 0) break;
      raw_end_ += got;
    }
    if (is_gzip({raw_.data(), raw_end_})) inflater_ = std::make_unique<Inflater>();
  } catch (...) {
    if (file_ != STDIN_FILENO) ::close(file_);
    throw;
  }
}

InputStream::~InputStream() {
  if (file_ != STDIN_FILENO) ::close(file_);
}

size_t InputStream::read_file(char* to, size_t count) {
  for (;;) {
    if (stop_.stop_requested()) throw Stopped();
    if (!on_disk_) {  // A pipe may never send anything, so the stop token is checked every 100 ms.
      pollfd waiting{file_, POLLIN, 0};
      if (::poll(&waiting, 1, 100) == 0) continue;
    }
    const ssize_t got = ::read(file_, to, count);
    if (got < 0 && errno == EINTR) continue;
    require(got >= 0, "{}: cannot be read: {}", name_, std::strerror(errno));
    file_bytes_ += got;
    return static_cast<size_t>(got);
  }
}

bool InputStream::refill() {
  raw_begin_ = 0;
  raw_end_ = read_file(raw_.data(), raw_.size());
  return raw_end_ > 0;
}

size_t InputStream::take_raw(char* to, size_t count) {
  const size_t taken = std::min(count, raw_end_ - raw_begin_);
  std::memcpy(to, raw_.data() + raw_begin_, taken);
  raw_begin_ += taken;
  return taken;
}

size_t InputStream::read(char* to, size_t count) {
  size_t done = std::min(count, peeked_.size());
  std::memcpy(to, peeked_.data(), done);
  peeked_.erase(0, done);
  if (compressed()) return done + inflate_into(to + done, count - done);
  done += take_raw(to + done, count - done);
  while (done < count) {
    const size_t got = read_file(to + done, count - done);
    if (got == 0) break;
    done += got;
  }
  return done;
}

size_t InputStream::inflate_into(char* to, size_t count) {
  z_stream& stream = inflater_->stream;
  size_t done = 0;
  while (done < count) {
    if (inflater_->ended && !next_member()) break;
    require(raw_begin_ < raw_end_ || refill(),
            "{}: the gzip data is truncated: it ends after {} bytes in the middle of a member", name_, file_bytes_);
    const size_t wanted = std::min(count - done, size_t{1} << 30);
    stream.next_in = reinterpret_cast<Bytef*>(raw_.data() + raw_begin_);
    stream.avail_in = static_cast<uInt>(raw_end_ - raw_begin_);
    stream.next_out = reinterpret_cast<Bytef*>(to + done);
    stream.avail_out = static_cast<uInt>(wanted);
    const int status = inflate(&stream, Z_NO_FLUSH);
    raw_begin_ = raw_end_ - stream.avail_in;
    done += wanted - stream.avail_out;
    require(status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR,
            "{}: the gzip data is corrupt near byte {}: {}", name_,
            file_bytes_ - static_cast<int64_t>(raw_end_ - raw_begin_),
            stream.msg != nullptr ? stream.msg : "no reason given");
    inflater_->ended = status == Z_STREAM_END;
  }
  return done;
}

// Returns whether another member follows. Zeros after a member are skipped, because tapes and block devices add them.
bool InputStream::next_member() {
  while (raw_begin_ < raw_end_ || refill()) {
    if (raw_[raw_begin_] != '\0') {
      inflateReset(&inflater_->stream);
      inflater_->ended = false;
      return true;
    }
    ++raw_begin_;
  }
  return false;
}

std::string_view InputStream::peek(size_t count) {
  if (peeked_.size() < count) {
    std::string bytes(count, '\0');
    bytes.resize(read(bytes.data(), count));
    peeked_ = std::move(bytes);
  }
  return std::string_view(peeked_).substr(0, count);
}

int64_t InputStream::skip(int64_t bytes) {
  if (on_disk_ && !compressed()) {
    const int64_t skipped = std::min(bytes, *bytes_left());
    const int64_t peeked = std::min(skipped, static_cast<int64_t>(peeked_.size()));
    peeked_.erase(0, static_cast<size_t>(peeked));
    const int64_t raw = std::min(skipped - peeked, static_cast<int64_t>(raw_end_ - raw_begin_));
    raw_begin_ += static_cast<size_t>(raw);
    const int64_t rest = skipped - peeked - raw;
    require(::lseek(file_, rest, SEEK_CUR) >= 0, "{}: cannot seek: {}", name_, std::strerror(errno));
    return skipped;
  }
  std::vector<char> unwanted(static_cast<size_t>(std::min<int64_t>(bytes, 1 << 20)));
  int64_t skipped = 0;
  while (skipped < bytes) {
    const auto wanted = std::min<int64_t>(bytes - skipped, static_cast<int64_t>(unwanted.size()));
    const size_t got = read(unwanted.data(), static_cast<size_t>(wanted));
    if (got == 0) break;
    skipped += static_cast<int64_t>(got);
  }
  return skipped;
}

std::optional<int64_t> InputStream::bytes_left() const {
  if (!on_disk_ || compressed()) return std::nullopt;
  struct stat status {};
  const off_t at = ::lseek(file_, 0, SEEK_CUR);
  if (at < 0 || ::fstat(file_, &status) != 0) return std::nullopt;
  return std::max<int64_t>(0, status.st_size - at) + static_cast<int64_t>(raw_end_ - raw_begin_ + peeked_.size());
}

}  // namespace mbsc
