// SPDX-License-Identifier: Apache-2.0
// mbsc cluster: read -> scale -> cluster() -> score -> write -> report.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
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
#include "mbsc/base/memory.h"
#include "mbsc/base/require.h"
#include "mbsc/base/thread_pool.h"
#include "mbsc/comm/agree.h"
#include "mbsc/comm/mpi_world.h"
#include "mbsc/io/write.h"
#include "mbsc/shared_table.h"

namespace mbsc::cli {
namespace {

/// Where labels go when nobody said: standard output, or a file beside the reader of a terminal. Whether there is one, ranks
/// cannot tell: some mpirun shows them a terminal in any case.
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
  return short_of_it && options.solver.tolerance ? budget_spent : done;
}

/// What ranks have needed, each.
RankFigures measure_ranks(const Comm& comm, const Clustering& result) {
  const auto gather = [&](int64_t mine) { return comm.gather<int64_t>(std::span<const int64_t>(&mine, 1)); };
  return {gather(peak_memory_bytes()), gather(result.traffic.bytes), gather(result.traffic.messages)};
}

/// Rows of all ranks in one file, a rank's at a time.
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
      while (next < comm.size()) receive();  // nobody shall wait for ever
      throw;
    }
  });
}

/// Threads of each rank where nobody said: ranks that have the same processors share them.
int threads_of(const ClusterFlags& flags, const Comm& comm) {
  if (flags.threads > 0) return flags.threads;
  const auto* world = dynamic_cast<const World*>(&comm);
  return default_threads(world ? world->sharing_processors() : 1);
}

int run(const ClusterFlags& flags, const Comm& comm) {
  const Stopwatch clock;
  const bool is_first = comm.rank() == 0, talks = is_first && !flags.quiet;
  const StopToken stop = stop_on_interrupt();
  const std::string labels = labels_path(flags, comm);
  agree(comm, [&] {
    if (!is_first) return;
    check_writable(labels);
    if (flags.embedding) check_writable(*flags.embedding);
    if (flags.summary) check_writable(*flags.summary);
  });
  for (const auto& [a, b] : {std::pair{flags.embedding, flags.summary},
                             {std::optional(labels), flags.summary},
                             {std::optional(labels), flags.embedding}})
    require(!a || !b || *a != *b || *a == "/dev/null", "two results cannot both go to {}", a.value_or(""));
  flags.cluster_options(std::numeric_limits<int64_t>::max(), stop);  // a bad option is told before a long read

  ReadOptions read_options = flags.read_options(stop);
  read_options.threads = threads_of(flags, comm);
  const SharedTable shared = read_shared_table(flags.input, read_options, comm);
  const Table& table = shared.own;
  const double read_seconds = clock.seconds();
  ClusterOptions options = flags.cluster_options(shared.n, stop);
  options.threads = read_options.threads;
  Points points = table.points();
  apply_scaling(points, flags.scaling(), flags.scale_rows, RowSpace(shared.n, options.threads, comm));

  if (talks)
    fmt::print(stderr, "{:<12} {} points of {} features: about {:.0f} MiB, and up to {:.0f} MiB to cluster them{}\n",
               "needs", shared.n, table.features, double(table.memory_bytes()) / (1 << 20),
               double(estimate_memory(shared.n, table.features, options, comm.size())) / (1 << 20),
               comm.size() > 1 ? fmt::format(", on each of {} ranks", comm.size()) : "");
  ProgressLine progress(talks);
  Clustering result;
  try {
    result = cluster(points, options, comm, [&](const Stage& stage) {
      progress.show(stage);
      return true;
    });
  } catch (const InvalidInput& error) {
    progress.clear();
    throw InvalidInput(fmt::format("{}: {}", flags.input, error.what()));
  }
  progress.clear();

  Report report{flags, options, table, result, shared.n, {}, {}, read_seconds, 0};
  report.ranks = measure_ranks(comm, result);
  const std::vector<int32_t> all_labels = collect<int32_t>(comm, result.labels);
  const std::vector<int32_t> truth = collect<int32_t>(comm, table.truth);
  if (!truth.empty()) report.scores = score_labels(truth, all_labels);
  // The labels last: where they are, everything is.
  if (flags.embedding) write_embedding(*flags.embedding, result.embedding, comm);
  report.total_seconds = clock.seconds();
  agree(comm, [&] {
    if (!is_first) return;
    if (flags.summary) write_text(*flags.summary, json_report(report));
    write_labels(labels, all_labels);
  });
  if (talks) {
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
  return [flags](const Comm& comm) { return run(*flags, comm); };
}

}  // namespace mbsc::cli
