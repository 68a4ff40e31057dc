// SPDX-License-Identifier: Apache-2.0
// The flags of `mbsc cluster`. Flags of the library's options come from the option table (options/table.h); those of
// reading and writing files, and a few that stand for other options, are here.
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
  // options of the library, by name, as typed
  std::map<std::string, std::string> options;
  std::optional<std::string> preset;
  std::optional<double> sigma;
  // results
  std::optional<std::string> labels, embedding, summary;
  bool quiet = false;

  void add_to(CLI::App& command);
  ReadOptions read_options(const StopToken& stop) const;
  /// The preset first, then what was given beside it. n is what the preset's sizes are limited to.
  ClusterOptions cluster_options(int64_t n, const StopToken& stop) const;
  /// Refuses options that are wrong for any number of points, before a long read.
  void check_options() const;
};

}  // namespace mbsc::cli
