// SPDX-License-Identifier: Apache-2.0
#include "mbsc/io/output_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "mbsc/base/require.h"
#include "mbsc/io/write.h"

namespace mbsc {
namespace {

namespace fs = std::filesystem;

/// The file that `path` refers to, with links resolved. Throws InvalidInput if no file can be written there.
fs::path resolve(const std::string& path) {
  require(!path.empty(), "the name of an output file must not be empty");
  std::error_code error;
  fs::path target = path;
  if (fs::exists(target, error)) target = fs::canonical(target, error);
  require(!fs::is_directory(target, error), "{}: cannot be written: is a directory", path);
  const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
  require(fs::exists(folder, error), "{}: cannot be written: the folder {} does not exist", path, folder.string());
  require(fs::is_directory(folder, error), "{}: cannot be written: {} is not a folder", path, folder.string());
  return target;
}

bool is_device(const fs::path& target) {
  std::error_code error;
  return fs::exists(target, error) && !fs::is_regular_file(target, error);
}

}  // namespace

OutputFile::OutputFile(const std::string& path) : path_(path) {
  if (path == "-") {
    path_ = "standard output";
    file_ = STDOUT_FILENO;
    return;
  }
  const fs::path target = resolve(path);
  target_ = target.string();
  if (is_device(target)) {
    file_ = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
  } else {
    temporary_ = fmt::format("{}.tmp.{}", target_, ::getpid());
    file_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  }
  if (file_ < 0) {
    temporary_.clear();
    fail(errno);
  }
}

OutputFile::~OutputFile() {
  if (file_ >= 0 && file_ != STDOUT_FILENO) ::close(file_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void OutputFile::fail(int reason) const {
  throw InvalidInput(fmt::format("{}: cannot be written: {}", path_, std::strerror(reason)));
}

void OutputFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(errno);
    bytes.remove_prefix(static_cast<size_t>(written));
  }
}

void OutputFile::finish() {
  if (file_ == STDOUT_FILENO) return;
  const int closed = ::close(file_);
  file_ = -1;
  if (closed != 0) fail(errno);
  if (temporary_.empty()) return;
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) fail(errno);
  temporary_.clear();
}

void check_writable(const std::string& path) {
  if (path == "-") return;
  const fs::path target = resolve(path);
  std::error_code error;
  const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
  const bool exists = fs::exists(target, error);
  require(is_device(target) || ::access(folder.c_str(), W_OK | X_OK) == 0,
          "{}: cannot be written: no file can be created in {}", path, folder.string());
  require(!exists || ::access(target.c_str(), W_OK) == 0, "{}: cannot be written: {}", path, std::strerror(errno));
}

}  // namespace mbsc
