// SPDX-License-Identifier: Apache-2.0
// Reading points: CSV/TSV, LIBSVM, NPY; each plain or gzip; a path or "-" for standard input.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mbsc/base/row_blocks.h"
#include "mbsc/base/stop_token.h"
#include "mbsc/io/table.h"

namespace mbsc {

enum class FileFormat { automatic, csv, tsv, libsvm, npy };

struct ReadOptions {
  FileFormat format = FileFormat::automatic;  ///< automatic: by content, then by name
  /// "" = no labels; "last", "first" or a number counted from 1. LIBSVM's leading label is always
  /// taken out.
  std::string label_column;
  /// Read only these rows (counted from 0, header excluded), for a rank of many; empty = all. They
  /// must exist. Features are those of the whole file; class_names only those of the range: compare
  /// names, not numbers.
  std::optional<Range> rows;
  /// Read only this part of so many, for a rank of many: of a plain text file the rows whose line begins in its share of
  /// the bytes, possibly none; features are then those of the longest row of the part. Not for other files, nor with
  /// `rows`.
  struct Part {
    int index = 0, count = 1;
  };
  std::optional<Part> part;
  int threads = 1;
  StopToken stop;
};

/// Reads a file. Throws InvalidInput naming the file, the line and the rule that was broken.
Table read_table(const std::string& path, const ReadOptions& options = {});

/// Whether a file can be read in parts: plain text on disk. False for standard input.
bool can_read_parts(const std::string& path, const ReadOptions& options = {});
/// How many rows a file has, without parsing them; a compressed one is inflated for it.
int64_t count_rows(const std::string& path, const ReadOptions& options = {});

/// A file of labels, one a line (or one column of numbers), any text; equal text is an equal class.
struct LabelFile {
  std::vector<int32_t> labels;  ///< indices into names, in order of first appearance
  std::vector<std::string> names;
};
LabelFile read_labels(const std::string& path);

}  // namespace mbsc
