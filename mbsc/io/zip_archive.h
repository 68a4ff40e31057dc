// SPDX-License-Identifier: Apache-2.0
// ZipArchive: the files in a zip archive that is in memory. Files may be stored or deflated, and the archive may use the
// 64-bit extension (ZIP64). PKWARE, "APPNOTE.TXT: .ZIP File Format Specification", 6.3.10.
// The archive is found from its end: the last bytes say where the directory is, and the directory says where each file
// is. Every offset and length is checked against the size of the archive before it is used.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mbsc {

class ZipArchive {
 public:
  struct File {
    std::string name;
    uint64_t method = 0;    ///< 0: stored, 8: deflated
    uint64_t checksum = 0;  ///< CRC-32 of the content
    uint64_t packed = 0;    ///< bytes in the archive
    uint64_t unpacked = 0;  ///< bytes of the content
    uint64_t offset = 0;    ///< of the header before the content
    bool is_encrypted = false;
  };

  /// `bytes` is the archive; it must outlive this object. `name` is the file name for messages. Throws InvalidInput if
  /// the directory is not valid.
  ZipArchive(std::string_view bytes, std::string name);

  const std::vector<File>& files() const { return files_; }
  /// The file of this name; null if there is none.
  const File* find(std::string_view name) const;
  /// The content of a file: a view of the archive if the file is stored, else of `buffer`. Throws InvalidInput if the
  /// content is damaged.
  std::string_view content(const File& file, std::string& buffer) const;

 private:
  void read_directory(uint64_t offset, uint64_t size, uint64_t count);

  std::string_view bytes_;
  std::string name_;
  std::vector<File> files_;
};

}  // namespace mbsc
