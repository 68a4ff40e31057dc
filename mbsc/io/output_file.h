// SPDX-License-Identifier: Apache-2.0
// OutputFile: a file that is either complete or does not exist. It is written under a temporary name in the same folder
// and then renamed. If the path is a symbolic link, the target of the link is replaced. Devices, pipes and standard
// output ("-") cannot be replaced; they are written directly.
#pragma once

#include <string>
#include <string_view>

namespace mbsc {

class OutputFile {
 public:
  /// Throws InvalidInput if the file cannot be created.
  explicit OutputFile(const std::string& path);
  /// Deletes the temporary file if finish() was not called.
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::string_view bytes);
  /// Renames the temporary file to its final name.
  void finish();

 private:
  [[noreturn]] void fail(int reason) const;

  std::string path_;       ///< for messages
  std::string target_;     ///< the path with links resolved
  std::string temporary_;  ///< empty if the target is written directly
  int file_ = -1;
};

}  // namespace mbsc
