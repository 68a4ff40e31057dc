// SPDX-License-Identifier: Apache-2.0
// mbsc cluster: read -> cluster() -> score -> write -> report.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "cli/cluster_flags.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "mbsc/base/memory.h"
#include "mbsc/base/require.h"
#include "mbsc/base/stopwatch.h"
#include "mbsc/base/thread_pool.h"
#include "mbsc/cluster.h"
#include "mbsc/comm/agree.h"
#include "mbsc/io/shared_table.h"
#include "mbsc/io/write.h"
#include "mbsc/options/words.h"

namespace mbsc::cli {
namespace {

/// The file for the labels. Without --labels they go to standard output, or to a file if standard output is a terminal.
/// With several ranks they always go to a file, because some versions of mpirun give every rank a terminal.
std::string labels_path(const ClusterFlags& flags, const Comm& comm) {
  if (flags.labels) return *flags.labels;
  if (comm.size() == 1 && isatty(STDOUT_FILENO) == 0) return "-";
  if (flags.input == "-") return "labels.txt";
  std::filesystem::path name = std::filesystem::path(flags.input).filename();
  while (name.has_extension()) name = name.stem();
  return name.string() + ".labels.txt";
}

int exit_code(const ClusterOptions& options, Status status) {
  if (status == Status::stopped) return interrupted;
  const bool short_of_it = status == Status::budget || status == Status::stalled;
  return short_of_it && options.limits.tolerance ? budget_spent : done;
}

/// Gathers the peak memory and the traffic of each rank.
RankFigures measure_ranks(const Comm& comm, const Clustering& result) {
  const auto gather = [&](int64_t mine) { return comm.gather<int64_t>(std::span<const int64_t>(&mine, 1)); };
  return {gather(peak_memory_bytes()), gather(result.cost.traffic.bytes), gather(result.cost.traffic.messages)};
}

/// Writes the rows of all ranks to one file. Rank 0 holds the rows of one other rank at a time.
void write_embedding(const std::string& path, const Matrix<float>& own, const Comm& comm) {
  const int64_t mine = own.rows();
  const std::vector<int64_t> rows = comm.gather<int64_t>(std::span<const int64_t>(&mine, 1));
  int64_t n = 0;
  for (const int64_t count : rows) n += count;
  agree(comm, [&] {
    if (comm.rank() != 0) return comm.send<float>({own.data(), size_t(own.size())}, 0);
    Matrix<float> part;
    int next = 1;
    const auto receive = [&] {
      part = Matrix<float>(rows[size_t(next)], own.cols());
      comm.receive<float>({part.data(), size_t(part.size())}, next++);
    };
    try {
      write_npy(path, n, own.cols(), comm.size(), [&](int rank) -> MatrixView<const float> {
        if (rank == 0) return own;
        receive();
        return part;
      });
    } catch (const InvalidInput&) {
      while (next < comm.size()) receive();  // the other ranks wait until their rows are received
      throw;
    }
  });
}

/// The number of threads of this rank. If it is not given, ranks on the same processors divide the processors.
int threads_of(const ClusterOptions& options, const Comm& comm) {
  const auto* world = dynamic_cast<const World*>(&comm);
  return options.threads.value_or(default_threads(world ? world->sharing_processors() : 1));
}

/// Throws InvalidInput if an output cannot be written, or if two outputs have the same name. Called before a long run.
void check_outputs(const ClusterFlags& flags, const std::string& labels, const Comm& comm) {
  agree(comm, [&] {
    if (comm.rank() != 0) return;
    check_writable(labels);
    if (flags.embedding) check_writable(*flags.embedding);
    if (flags.summary) check_writable(*flags.summary);
  });
  for (const auto& [a, b] : {std::pair{flags.embedding, flags.summary},
                             {std::optional(labels), flags.summary},
                             {std::optional(labels), flags.embedding}})
    require(!a || !b || *a != *b || *a == "/dev/null", "two results cannot both go to {}", a.value_or(""));
}

Input input_of(const Content& content, const ClusterOptions& options) {
  if (content.graph) return content.graph->graph;
  const bool is_matrix = options.affinity == AffinityKind::precomputed;
  return {is_matrix ? Input::Kind::matrix : Input::Kind::points, content.rows.own.points()};
}

/// The estimate of the memory, before the work starts.
std::string describe_memory(const Content& content, const Plan& plan) {
  constexpr double mib = 1 << 20;
  const Table& table = content.rows.own;
  const std::string input =
      content.graph ? fmt::format("{:.0f} MiB for {} nodes and {} stored weights",
                                  double(content.graph->memory_bytes()) / mib, plan.n, content.graph->graph.entries())
                    : fmt::format("{:.0f} MiB for {} points of {} features", double(table.memory_bytes()) / mib, plan.n,
                                  table.features);
  return fmt::format("{}, at most {:.0f} MiB more to cluster them{}", input, double(plan.memory_bytes) / mib,
                     plan.ranks > 1 ? fmt::format(", on each of {} ranks", plan.ranks) : "");
}

/// The message of a graph that is not symmetric, with the line of the entry if the file has lines.
std::string describe(const AsymmetricGraph& error, const ClusterFlags& flags) {
  const auto line = find_line(flags.input, flags.read_options({}), error.row, error.column);
  return fmt::format("{}:{} {}", flags.input, line ? fmt::format("{}:", *line) : "", error.what());
}

/// Calls cluster() and, if `talks`, shows its progress on the terminal. Adds the name of the file to its errors.
Clustering cluster_content(const ClusterFlags& flags, const Content& content, const ClusterOptions& options,
                           const Comm& comm, bool talks) {
  const Input input = input_of(content, options);
  ProgressLine progress(talks);
  try {
    const Plan plan =
        resolve({content.n(), input.rows.features, input.kind, comm.size(), input.graph.entries()}, options);
    if (talks && input.is_points() && !plan.affinity_reason.empty())
      fmt::print(stderr, "{:<12} affinity {}, because {} (--affinity sets another)\n", "choice",
                 word_of(words::affinities, *plan.options.affinity), plan.affinity_reason);
    if (talks) fmt::print(stderr, "{:<12} {}\n", "estimate", describe_memory(content, plan));
    return cluster(input, options, comm, [&](const Stage& stage) {
      progress.show(stage);
      return true;
    });
  } catch (const AsymmetricGraph& error) {
    progress.clear();
    throw InvalidInput(describe(error, flags));
  } catch (const InvalidInput& error) {
    progress.clear();
    throw InvalidInput(fmt::format("{}: {}", flags.input, error.what()));
  }
}

int run(const ClusterFlags& flags, const Comm& comm) {
  const Stopwatch clock;
  const bool is_first = comm.rank() == 0, talks = is_first && !flags.quiet;
  const StopToken stop = stop_on_interrupt();
  const std::string labels = labels_path(flags, comm);
  check_outputs(flags, labels, comm);
  flags.check_options();

  ReadOptions read_options = flags.read_options(stop);
  read_options.threads = threads_of(flags.cluster_options(0, stop), comm);
  const Content content = read_content(flags.input, read_options, comm);
  const double read_seconds = clock.seconds();
  ClusterOptions options = flags.cluster_options(content.n(), stop);
  options.threads = read_options.threads;
  const Clustering result = cluster_content(flags, content, options, comm, talks);

  Report report{flags, options, content, result, measure_ranks(comm, result), {}, read_seconds, 0};
  const std::vector<int32_t> all_labels = collect<int32_t>(comm, result.labels);
  const std::vector<int32_t> truth = collect<int32_t>(comm, content.rows.own.truth);
  if (!truth.empty()) report.scores = score_labels(truth, all_labels);
  // The labels are written last: if they exist, all other results exist, too.
  if (flags.embedding) write_embedding(*flags.embedding, result.pairs.vectors, comm);
  report.total_seconds = clock.seconds();
  agree(comm, [&] {
    if (!is_first) return;
    if (flags.summary) write_text(*flags.summary, json_report(report));
    write_labels(labels, all_labels, content.graph ? content.graph->ids : std::vector<std::string>());
  });
  if (talks) {
    fmt::print(stderr, "{}", text_report(report));
    if (labels != "-") fmt::print(stderr, "{:<12} {}\n", "labels", labels);
  }
  return exit_code(options, result.status);
}

}  // namespace

Command add_cluster(CLI::App& app) {
  CLI::App* command = app.add_subcommand("cluster", "cluster the points or the graph of a file");
  const auto flags = std::make_shared<ClusterFlags>();
  flags->add_to(*command);
  return [flags](const Comm& comm) { return run(*flags, comm); };
}

}  // namespace mbsc::cli
