// SPDX-License-Identifier: Apache-2.0
// The flags of `mbsc cluster`. The flags for the options of the library come from the option table (options/table.h).
// The flags for reading and writing files, and --sigma and --preset, which set other options, are defined here.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <optional>
#include <string>

#include "mbsc/options/row.h"
#include "mbsc/read.h"

namespace mbsc::cli {

struct ClusterFlags {
  std::string input;
  // reading
  std::string format = "auto", label_column;
  // options of the library: the name and the text that was typed
  std::map<std::string, std::string> options;
  std::optional<std::string> preset;
  std::optional<double> sigma;
  // results
  std::optional<std::string> labels, embedding, summary;
  bool quiet = false;

  void add_to(CLI::App& command);
  ReadOptions read_options(const StopToken& stop) const;
  /// Sets the options of the preset first, then those that were typed. The sizes in the preset are limited to n.
  ClusterOptions cluster_options(int64_t n, const StopToken& stop) const;
  /// Throws InvalidInput if an option is invalid for every number of points. Called before the file is read.
  void check_options() const;
};

}  // namespace mbsc::cli
