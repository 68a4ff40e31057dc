// SPDX-License-Identifier: Apache-2.0
// mbsc cluster: read -> scale -> cluster() -> score -> write -> report.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "cli/cluster_flags.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "mbsc/base/require.h"
#include "mbsc/base/thread_pool.h"
#include "mbsc/io/write.h"

namespace mbsc::cli {
namespace {

/// Where labels go when nobody said: standard output, or a file beside the reader of a terminal.
std::string labels_path(const ClusterFlags& flags) {
  if (flags.labels) return *flags.labels;
  if (isatty(STDOUT_FILENO) == 0) return "-";
  if (flags.input == "-") return "labels.txt";
  std::filesystem::path name = std::filesystem::path(flags.input).filename();
  while (name.has_extension()) name = name.stem();
  return name.string() + ".labels.txt";
}

int exit_code(const ClusterOptions& options, Status status) {
  if (status == Status::stopped) return interrupted;
  const bool short_of_it = status == Status::budget || status == Status::stalled;
  return short_of_it && options.solver.tolerance ? budget_spent : done;
}

int run(const ClusterFlags& flags) {
  const Stopwatch clock;
  const StopToken stop = stop_on_interrupt();
  const std::string labels = labels_path(flags);
  check_writable(labels);
  if (flags.embedding) check_writable(*flags.embedding);
  if (flags.summary) check_writable(*flags.summary);
  for (const auto& [a, b] : {std::pair{flags.embedding, flags.summary},
                             {std::optional(labels), flags.summary},
                             {std::optional(labels), flags.embedding}})
    require(!a || !b || *a != *b || *a == "/dev/null", "two results cannot both go to {}", a.value_or(""));
  flags.cluster_options(std::numeric_limits<int64_t>::max(), stop);  // a bad option is told before a long read

  const Table table = read_table(flags.input, flags.read_options(stop));
  const double read_seconds = clock.seconds();
  const ClusterOptions options = flags.cluster_options(table.rows, stop);
  Points points = table.points();
  apply_scaling(points, flags.scaling(), flags.scale_rows, flags.threads > 0 ? flags.threads : default_threads());

  if (!flags.quiet)
    fmt::print(stderr, "{:<12} {} points of {} features: about {:.0f} MiB, and up to {:.0f} MiB to cluster them\n", "needs",
               table.rows, table.features, double(table.memory_bytes()) / (1 << 20),
               double(estimate_memory(table.rows, table.features, options)) / (1 << 20));
  ProgressLine progress(!flags.quiet);
  Clustering result;
  try {
    result = cluster(points, options, [&](const Stage& stage) {
      progress.show(stage);
      return true;
    });
  } catch (const InvalidInput& error) {
    progress.clear();
    throw InvalidInput(fmt::format("{}: {}", flags.input, error.what()));
  }
  progress.clear();

  Report report{flags, options, table, result, {}, read_seconds, 0};
  if (!table.truth.empty()) report.scores = score_labels(table.truth, result.labels);
  // The labels last: where they are, everything is.
  if (flags.embedding) write_npy(*flags.embedding, result.embedding.view());
  report.total_seconds = clock.seconds();
  if (flags.summary) write_text(*flags.summary, json_report(report));
  write_labels(labels, result.labels);
  if (!flags.quiet) {
    fmt::print(stderr, "{}", text_report(report));
    if (labels != "-") fmt::print(stderr, "{:<12} {}\n", "labels", labels);
  }
  return exit_code(options, result.status);
}

}  // namespace

Command add_cluster(CLI::App& app) {
  CLI::App* command = app.add_subcommand("cluster", "cluster the points of a file");
  const auto flags = std::make_shared<ClusterFlags>();
  flags->add_to(*command);
  return [flags] { return run(*flags); };
}

}  // namespace mbsc::cli
