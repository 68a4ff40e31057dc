// SPDX-License-Identifier: Apache-2.0
// OutputFile: a file that appears whole or not at all. Devices, pipes and standard output ("-"),
// which cannot be renamed over, are written to directly; a symbolic link keeps pointing where it
// points.
#pragma once

#include <string>
#include <string_view>

namespace mbsc {

class OutputFile {
 public:
  /// Throws InvalidInput where the file cannot be created.
  explicit OutputFile(const std::string& path);
  /// Without finish() nothing is left behind.
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::string_view bytes);
  /// Puts the file in its place.
  void finish();

 private:
  [[noreturn]] void fail(int reason) const;

  std::string path_;
  std::string target_;     ///< path_, links resolved
  std::string temporary_;  ///< empty where the target is written directly
  int file_ = -1;
};

}  // namespace mbsc
