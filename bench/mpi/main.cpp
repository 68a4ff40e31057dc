// SPDX-License-Identifier: Apache-2.0
// bench_ranks: measures what ranks cost, and prints one line of JSON. bench/mpi/run starts it with mpirun.
//
//     bench_ranks iterate N FEATURES CLUSTERS BATCH ITERATIONS THREADS LATENCY SECONDS_PER_BYTE
//     bench_ranks pass    N FEATURES COLUMNS  0     REPEATS    THREADS LATENCY SECONDS_PER_BYTE
//     bench_ranks messages
//
// iterate    iterations of the paper's algorithm: their seconds, and the bytes that each rank received
// pass       full products: the same
// messages   seconds of a message between ranks 0 and 1, by its size: half the time of a round trip
// LATENCY and SECONDS_PER_BYTE are delays that are added to every message (delayed_comm.h); 0: none.
// Points are normally distributed. Degrees are all set to the same value, because they do not change the time.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "bench/mpi/delayed_comm.h"
#include "mbsc/affinity/kernel/kernel_affinity.h"
#include "mbsc/affinity/normalized.h"
#include "mbsc/base/memory.h"
#include "mbsc/base/random.h"
#include "mbsc/base/stopwatch.h"
#include "mbsc/comm.h"
#include "mbsc/linalg/tall.h"
#include "mbsc/solvers/paper/paper.h"

namespace {

using namespace mbsc;
using nlohmann::json;

struct Problem {
  int64_t n, features, columns, batch, repeats;
  int threads;
  bench::Network network;
};

Problem problem_of(std::span<char*> words) {
  const auto whole = [&](size_t i) { return int64_t(std::stoll(words[i])); };
  return {whole(0), whole(1), whole(2), whole(3), whole(4), int(whole(5)), {std::stod(words[6]), std::stod(words[7])}};
}

/// Time and traffic after an iteration. The differences between consecutive records are reported.
struct Record {
  double seconds;
  Traffic traffic;
};

json report(const Comm& comm, const std::vector<Record>& records) {
  std::vector<double> seconds;
  std::vector<int64_t> bytes, messages;
  for (size_t i = 1; i < records.size(); ++i) {
    seconds.push_back(records[i].seconds - records[i - 1].seconds);
    bytes.push_back(records[i].traffic.bytes - records[i - 1].traffic.bytes);
    messages.push_back(records[i].traffic.messages - records[i - 1].traffic.messages);
  }
  const int64_t memory = peak_memory_bytes();
  return {{"ranks", comm.size()},
          {"repeats", int64_t(seconds.size())},
          {"seconds", seconds},
          {"bytes_by_rank", comm.gather<int64_t>(bytes)},
          {"messages_by_rank", comm.gather<int64_t>(messages)},
          {"peak_memory_bytes", comm.gather<int64_t>(std::span<const int64_t>(&memory, 1))}};
}

Matrix<float> normal_rows(const RowSpace& space, int64_t columns, uint64_t seed) {
  Matrix<float> rows(space.local_rows(), columns);
  fill_normal<float>(space, rows, Random(seed, Stream::test), 0);
  return rows;
}

json iterate(const Problem& p, const Comm& comm) {
  const RowSpace space(p.n, p.threads, comm);
  const Matrix<float> X = normal_rows(space, p.features, 1);
  Points points(X.view());
  points.first_row = space.own_rows().begin;
  const KernelAffinity<float> A(points, {KernelKind::rbf, 1 / double(p.features)}, space);
  Degrees degrees(space.local_rows());
  std::fill(degrees.sum.begin(), degrees.sum.end(), 0.1 * double(p.n));
  const Normalized<float> L(A, std::move(degrees), 0);
  ClusterOptions options;
  options.clusters = p.columns;
  options.start = Start::random;
  options.batch_size = p.batch;
  options.limits.iterations = p.repeats;
  const Stopwatch clock;
  std::vector<Record> records;
  solve_paper<float>(L, options, [&](const Progress<float>&) {
    records.push_back({clock.seconds(), comm.traffic()});
    return comm.broadcast<int>(1) != 0;  // rank 0 decides whether to go on, as in cluster()
  });
  return report(comm, records);
}

json full_products(const Problem& p, const Comm& comm) {
  const RowSpace space(p.n, p.threads, comm);
  const Matrix<float> X = normal_rows(space, p.features, 1), V = normal_rows(space, p.columns, 2);
  Points points(X.view());
  points.first_row = space.own_rows().begin;
  const KernelAffinity<float> A(points, {KernelKind::rbf, 1 / double(p.features)}, space);
  Matrix<float> out(space.local_rows(), p.columns);
  const Stopwatch clock;
  std::vector<Record> records{{clock.seconds(), comm.traffic()}};
  for (int64_t i = 0; i < p.repeats; ++i) {
    A.multiply(V, out, {});
    comm.any(false);  // waits until all ranks are done
    records.push_back({clock.seconds(), comm.traffic()});
  }
  return report(comm, records);
}

json messages(const Comm& comm) {
  json found = json::array();
  for (int64_t size = 8; size <= int64_t{16} << 20; size *= 8) {
    std::vector<std::byte> bytes(static_cast<size_t>(size));
    const int64_t repeats = std::clamp<int64_t>((int64_t{1} << 24) / size, 4, 300);
    std::vector<double> seconds;
    for (int64_t i = 0; comm.rank() < 2 && i < repeats; ++i) {
      const Stopwatch clock;
      if (comm.rank() == 0) {
        comm.send<std::byte>(bytes, 1);
        comm.receive<std::byte>(bytes, 1);
      } else {
        comm.receive<std::byte>(bytes, 0);
        comm.send<std::byte>(bytes, 0);
      }
      seconds.push_back(clock.seconds() / 2);
    }
    if (comm.rank() != 0) continue;
    std::sort(seconds.begin(), seconds.end());
    found.push_back({{"bytes", size}, {"seconds", seconds[seconds.size() / 2]}});
  }
  return {{"messages", found}};
}

json run(std::span<char*> words, const Comm& inner) {
  const std::string what = words.empty() ? "" : words[0];
  if (what == "messages" && inner.size() > 1) return messages(inner);
  if ((what != "iterate" && what != "pass") || words.size() != 9)
    throw std::invalid_argument("usage: see the head of bench/mpi/main.cpp");
  const Problem problem = problem_of(words.subspan(1));
  const bench::DelayedComm delayed(inner, problem.network);
  const bool is_delayed = problem.network.latency > 0 || problem.network.seconds_per_byte > 0;
  const Comm& comm = is_delayed ? delayed : inner;
  return what == "iterate" ? iterate(problem, comm) : full_products(problem, comm);
}

}  // namespace

int main(int argc, char** argv) {
  std::unique_ptr<World> world;
  try {
    if (started_by_mpi()) world = open_world();
    const Comm& comm = world ? *world : serial_comm();
    const json found = run({argv + 1, size_t(argc - 1)}, comm);
    if (comm.rank() == 0) fmt::print("{}\n", found.dump());
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_ranks: {}\n", error.what());
    if (world) world->end_all(1);
    return 1;
  }
}
