// SPDX-License-Identifier: Apache-2.0
// The result for people (text) and for programs (JSON; keys in docs/summary.md).
#pragma once

#include <optional>
#include <string>

#include "cli/cluster_flags.h"
#include "mbsc/cluster.h"
#include "mbsc/metrics.h"

namespace mbsc::cli {

/// One number for each rank.
struct RankFigures {
  std::vector<int64_t> peak_memory_bytes, received_bytes, received_messages;
};

struct Report {
  const ClusterFlags& flags;
  const ClusterOptions& options;
  const Content& content;  ///< the rows of this rank, or the graph
  const Clustering& result;
  RankFigures ranks;
  std::optional<Scores> scores;  ///< set if the true classes are known
  double read_seconds = 0;
  double total_seconds = 0;
};

std::string text_report(const Report& report);
std::string json_report(const Report& report);

}  // namespace mbsc::cli
