// SPDX-License-Identifier: Apache-2.0
// Reading points from files (CSV, TSV, LIBSVM and NPY) and graphs (Matrix Market, NPZ of scipy.sparse, edge lists). The
// files may be plain or compressed by gzip. The path "-" is standard input.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mbsc/comm.h"
#include "mbsc/input.h"
#include "mbsc/options.h"

namespace mbsc {

/// The rows of a file. The values are float32 if float32 represents all of them exactly (integers, float32 files).
/// Otherwise they are float64, so that no digit is lost before the points are scaled.
struct Table {
  struct Free {
    void operator()(void* p) const { std::free(p); }
  };

  std::unique_ptr<void, Free> buffer;
  ScalarType type = ScalarType::float32;
  int64_t rows = 0;
  int64_t features = 0;
  bool column_major = false;   ///< true for an NPY file in Fortran order
  int64_t first_row = 0;       ///< the number of row 0 in the file, if only a range of rows was read
  std::vector<int32_t> truth;  ///< the class of each row, an index into class_names; empty = unknown
  std::vector<std::string> class_names;
  std::vector<std::string> feature_names;  ///< from a header line; empty = there is none
  std::string format;                      ///< one of format_names(), followed by ".gz" if the file is compressed
  int64_t memory_bytes() const { return rows * features * (type == ScalarType::float32 ? 4 : 8); }

  /// A view of the coordinates, unscaled.
  Points points() const;
};

/// The graph of a file.
struct GraphFile {
  Graph graph;                   ///< owns its arrays
  std::vector<std::string> ids;  ///< edge list: the name of each node; empty: nodes have only numbers
  std::string format;            ///< one of format_names(), followed by ".gz" if the file is compressed
  int64_t memory_bytes() const;
};

/// The names of the formats that can be read: "csv", "tsv", ...
std::vector<std::string> format_names();

struct ReadOptions {
  std::optional<std::string> format;  ///< one of format_names(); unset: detected from the content and the file name
  /// The column of the classes: "first", "last" or a number counted from 1; "" = the file has none. The option does not
  /// apply to LIBSVM files: each of their lines begins with the class.
  std::string label_column;
  /// Reads only these rows of the file, counted from 0 without the header line. Unset: all rows. The file must have
  /// these rows. The features are those of the whole file. The class_names are those of the range only, so two ranges
  /// must be compared by class name and not by class number.
  std::optional<Range> rows;
  /// Part `index` of `count`. A plain text file is divided into `count` ranges of bytes, and a part has the rows whose
  /// lines begin in its range. A part may have no rows, and it has as many features as its longest row.
  struct Part {
    int index = 0, count = 1;
  };
  /// Reads only this part of the file. Unset: all of it. Requires can_read_parts(); excludes `rows`.
  std::optional<Part> part;
  int threads = 1;
  StopToken stop;
};

/// Reads a file. Throws InvalidInput with the name of the file, the line and the rule that was broken.
Table read_table(const std::string& path, const ReadOptions& options = {});

/// Reads a graph. Uses `format` and `stop` of the options, and refuses `label_column`. Throws InvalidInput with the name
/// of the file, the line if the format has lines, and the rule that was broken. Rules that concern several entries are
/// left to cluster(): the graph may be asymmetric, and it may have loops and several entries at the same place.
GraphFile read_graph(const std::string& path, const ReadOptions& options = {});
/// The line of an entry of a graph, for messages about the entry. Rows and columns are counted from 0. Reads the file
/// again. Nothing for standard input, and for a format that does not store an entry in a line of its own.
std::optional<int64_t> find_line(const std::string& path, const ReadOptions& options, int64_t row, int64_t column);

/// Whether a file can be read in parts: it must be plain text on disk. False for standard input.
bool can_read_parts(const std::string& path, const ReadOptions& options = {});
/// Counts the rows of a file without parsing them. A compressed text file is decompressed for this.
int64_t count_rows(const std::string& path, const ReadOptions& options = {});

/// A file of labels: one label per line, or an NPY array of one column. A label is any text; equal texts are the same
/// class.
struct LabelFile {
  std::vector<int32_t> labels;     ///< indices into names
  std::vector<std::string> names;  ///< in the order of their first appearance
};
LabelFile read_labels(const std::string& path);

/// A file that all ranks read together. Each rank gets whole row blocks (linalg/row_balance.h).
///     plain text        each rank reads a range of bytes; then a few rows move to other ranks
///     plain NPY         each rank reads its own rows and skips the others
///     compressed        rank 0 counts the rows; each rank decompresses the file and keeps its own rows
///     standard input    rank 0 reads all rows and distributes them
struct SharedTable {
  Table own;      ///< the rows of this rank; first_row is the number of the first one in the file
  int64_t n = 0;  ///< the number of rows on all ranks
};

/// Collective. If the file is invalid, every rank throws the error of the lowest rank that found one.
SharedTable read_shared_table(const std::string& path, const ReadOptions& options, const Comm& comm);

/// What a file contains: the rows of a table, or a graph.
struct Content {
  SharedTable rows;                ///< empty if there is a graph
  std::optional<GraphFile> graph;  ///< on one rank only
  int64_t n() const { return graph ? graph->graph.nodes : rows.n; }
};

/// Collective. A graph on several ranks is refused.
Content read_content(const std::string& path, const ReadOptions& options, const Comm& comm);

}  // namespace mbsc
