// SPDX-License-Identifier: Apache-2.0
// bench_neighbors: finds the neighbors of all points of an NPY file with find_neighbors(), and prints JSON: the seconds
// of the call (of all threads, and by the clock), the recall that the search measured, and the peak memory.
// --output writes the lists of the points in --sample, so that the caller can compare them with the true neighbors.
#include <fmt/format.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "mbsc/affinity/graph/neighbor_search.h"
#include "mbsc/base/memory.h"
#include "mbsc/base/stopwatch.h"
#include "mbsc/base/thread_pool.h"
#include "mbsc/io/write.h"
#include "mbsc/read.h"

namespace {

using namespace mbsc;

struct Flags {
  std::string input, sample, output;
  int64_t each = 16;
  double recall = 0.98;
  uint64_t seed = 0;
  int threads = 2;
};

/// The processor time of all threads of this process.
double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) { return double(t.tv_sec) + 1e-6 * double(t.tv_usec); };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

/// The lists of some points as numbers of points; row i has the list of the point sample(i, 0).
Matrix<double> lists_of(const NeighborLists& lists, const Points& sample) {
  std::vector<int32_t> place_of(lists.order.size());
  for (size_t place = 0; place < lists.order.size(); ++place) place_of[size_t(lists.order[place])] = int32_t(place);
  Matrix<double> out(sample.rows, lists.each);
  for (int64_t i = 0; i < sample.rows; ++i) {
    const auto point = int64_t(sample(i, 0));
    const int64_t place = place_of.empty() ? point : place_of[size_t(point)];
    const auto list = lists.of(place);
    for (int64_t e = 0; e < lists.each; ++e) {
      const int32_t near = list[size_t(e)].point;
      out(i, e) = double(lists.order.empty() ? near : lists.order[size_t(near)]);
    }
  }
  return out;
}

int run(const Flags& flags) {
  const Table table = read_table(flags.input, {});
  const Points points = table.points();
  const NeighborSearch search{flags.each, flags.recall, flags.seed, flags.threads, {}};
  const double before = cpu_seconds();
  const Stopwatch clock;
  const NeighborLists lists = find_neighbors(points, RowSpace(points.rows, flags.threads), search);
  const double wall = clock.seconds(), cpu = cpu_seconds() - before;
  const nlohmann::ordered_json result{{"n", points.rows},
                                      {"d", points.features},
                                      {"distinct", lists.distinct},
                                      {"cpu_seconds", cpu},
                                      {"seconds", wall},
                                      {"measured_recall", lists.recall},
                                      {"points_bytes", table.memory_bytes()},
                                      {"peak_memory_bytes", peak_memory_bytes()}};
  if (!flags.output.empty()) {
    const Table sample = read_table(flags.sample, {});
    write_npy(flags.output, lists_of(lists, sample.points()));
  }
  fmt::print("{}\n", result.dump());
  return 0;
}

}  // namespace

int main(int count, char** words) {
  CLI::App app("times the search for neighbors");
  Flags flags;
  app.add_option("input", flags.input, "file of points, .npy")->required();
  app.add_option("--neighbors", flags.each, "number of neighbors of each point [16]");
  app.add_option("--recall", flags.recall, "recall to reach; 1 compares all pairs [0.98]");
  app.add_option("--seed", flags.seed, "seed [0]");
  app.add_option("--threads", flags.threads, "number of threads [2]");
  app.add_option("--sample", flags.sample, "file of point numbers, .npy");
  app.add_option("--output", flags.output, "file for the lists of these points, .npy")->needs("--sample");
  CLI11_PARSE(app, count, words);
  try {
    return run(flags);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_neighbors: {}\n", error.what());
    return 2;
  }
}
