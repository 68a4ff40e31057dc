// SPDX-License-Identifier: Apache-2.0
// For the tests of io: a folder that is deleted at the end of a test, gzip data, error messages, and the values of a
// table.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "mbsc/base/require.h"
#include "mbsc/io/read_stream.h"

namespace mbsc::testing {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "mbsc_io_XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  /// Writes a file and returns its path.
  std::string write(const std::string& name, std::string_view content) const {
    std::ofstream(path_ / name, std::ios::binary) << content;
    return *this / name;
  }
  /// The number of files in the folder.
  size_t files() const {
    const std::filesystem::directory_iterator files(path_);
    return static_cast<size_t>(std::distance(begin(files), end(files)));
  }

 private:
  std::filesystem::path path_;
};

inline std::string content_of(const std::string& path) {
  std::ostringstream content;
  content << std::ifstream(path, std::ios::binary).rdbuf();
  return content.str();
}

/// The text, compressed as one gzip member.
inline std::string gzip(std::string_view text) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, text.size()) + 64, '\0');
  std::string in(text);
  stream.next_in = reinterpret_cast<Bytef*>(in.data());
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

/// The message of the InvalidInput that work() throws, without the temporary folder; "" if it throws nothing.
template <class Work>
std::string error_of(Work&& work) {
  try {
    work();
  } catch (const InvalidInput& error) {
    std::string message = error.what();
    const std::string folder = (std::filesystem::temp_directory_path() / "mbsc_io_").string();
    if (message.starts_with(folder)) message.erase(0, message.find('/', folder.size()) + 1);
    return message;
  }
  return "";
}

/// Reads a table from a stream, with chunks of this many bytes.
inline Table read_in_chunks(const std::string& path, const ReadOptions& options, size_t chunk_bytes) {
  InputStream stream(path, options.stop);
  return read_stream(stream, options, chunk_bytes);
}

inline ReadOptions with_label(const std::string& column) {
  ReadOptions options;
  options.label_column = column;
  return options;
}

/// The values of a table, row by row.
inline std::vector<std::vector<double>> rows_of(const Table& table) {
  const Points points = table.points();
  std::vector<std::vector<double>> rows(static_cast<size_t>(table.rows));
  for (int64_t i = 0; i < table.rows; ++i) {
    for (int64_t f = 0; f < table.features; ++f) rows[static_cast<size_t>(i)].push_back(points(i, f));
  }
  return rows;
}

using Rows = std::vector<std::vector<double>>;
using Classes = std::vector<int32_t>;
using Names = std::vector<std::string>;

}  // namespace mbsc::testing
