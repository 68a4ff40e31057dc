// SPDX-License-Identifier: Apache-2.0
// The readers, as a static table with one row for each file format. To add a format, write a file that defines its row
// and add one line to readers.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "mbsc/io/input_stream.h"
#include "mbsc/read.h"

namespace mbsc {

/// How sure a reader is that a file has its format. The surest reader reads the file.
enum class Certainty {
  none,      ///< the file has another format, or cannot be recognized
  fallback,  ///< any text may have this format
  name,      ///< the file name has an ending of this format
  content,   ///< the first lines look like this format
  magic,     ///< the file begins with the magic bytes of this format
};

/// A row of the table. A format contains either a table of points or a graph: one of `read` and `read_graph` is null.
struct Reader {
  std::string name;     ///< one of format_names()
  bool is_text = true;  ///< if true, a file that is not text is refused before it is read

  /// `head` has the first bytes of the file. `file_name` is in lower case, without ".gz".
  Certainty (*detect)(std::string_view head, std::string_view file_name) = nullptr;
  /// Reads the table, or options.rows of it, in chunks of about `chunk_bytes`. Sets Table::format without ".gz".
  std::function<Table(InputStream& stream, const ReadOptions& options, size_t chunk_bytes)> read = nullptr;
  std::function<int64_t(InputStream& stream, const ReadOptions& options)> count_rows = nullptr;  ///< null for a graph
  /// Reads options.part of a plain file on disk. Null if a file of this format cannot be divided into ranges of bytes.
  std::function<Table(const std::string& path, const ReadOptions& options)> read_part = nullptr;
  /// Reads the graph. Sets GraphFile::format without ".gz".
  std::function<GraphFile(InputStream& stream, const ReadOptions& options)> read_graph = nullptr;

  /// The line of an entry of the graph (find_line() in read.h). Null if the format has no lines.
  std::function<std::optional<int64_t>(InputStream& stream, int64_t row, int64_t column)> find_line = nullptr;

  bool is_graph() const { return read_graph != nullptr; }
};

/// All readers.
std::span<const Reader* const> readers();
/// The surest reader of a file; the first one in the table if several are equally sure.
const Reader& detect_reader(std::string_view head, std::string_view file_name);
/// The reader of this name. Throws InvalidInput if there is none.
const Reader& find_reader(const std::string& name);

}  // namespace mbsc
