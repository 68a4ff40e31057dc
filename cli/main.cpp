// SPDX-License-Identifier: Apache-2.0
// The program mbsc: parse -> call the library -> print. The library never prints. If mpirun or srun started several
// processes, they are the ranks of one run: all of them compute, and rank 0 prints.
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <new>
#include <sstream>

#include "cli/commands.h"
#include "mbsc/base/require.h"
#include "mbsc/cluster.h"
#include "mbsc/comm.h"

namespace {

using namespace mbsc;

/// How a run ended.
struct Outcome {
  int code = cli::done;
  std::string message;
  bool is_fault = false;  ///< the program or the machine failed on this rank; the other ranks do not know it
};

Outcome parse(CLI::App& app, int argc, char** argv, bool is_first) {
  try {
    app.parse(argc, argv);
    return {};
  } catch (const CLI::Success& success) {  // --help, --version
    std::ostringstream nothing;
    return {is_first ? app.exit(success) : app.exit(success, nothing, nothing), {}};
  } catch (const CLI::ParseError& error) {
    const auto named = app.get_subcommands([&](CLI::App* command) { return argc > 1 && command->check_name(argv[1]); });
    if (argc > 1 && argv[1][0] != '-' && named.empty())
      return {cli::bad_input, fmt::format("unknown command '{}'\nRun `mbsc --help` for the commands.", argv[1])};
    return {cli::bad_input, fmt::format("{}\nRun `mbsc --help` for the commands.", error.what())};
  }
}

Outcome run(const cli::Command& command, const Comm& comm) {
  try {
    return {command(comm), {}};
  } catch (const InvalidInput& error) {
    return {cli::bad_input, error.what()};
  } catch (const Stopped&) {
    return {cli::interrupted, "interrupted before there was an answer; nothing was written"};
  } catch (const std::bad_alloc&) {
    return {cli::bad_input, "out of memory", true};
  } catch (const std::exception& error) {
    return {cli::failure, error.what(), true};
  }
}

void print(const Outcome& outcome) {
  if (!outcome.message.empty()) fmt::print(stderr, "mbsc: {}\n", outcome.message);
}

/// Ends all ranks together and returns the exit code. A rank that failed alone ends the other ranks, because they may
/// wait for it forever.
int end(const World& world, const Outcome& mine) {
  constexpr double seconds_to_wait = 5, for_ever = 1e9;
  if (mine.is_fault || !world.meet(mine.message.empty() ? for_ever : seconds_to_wait)) {
    print({mine.code, fmt::format("rank {}: {}", world.rank(), mine.message)});
    std::fflush(nullptr);
    world.end_all(mine.code);
  }
  const std::vector<int> failed = world.gather<int>(std::vector<int>{mine.message.empty() ? 0 : mine.code});
  for (int rank = 0; rank < world.size(); ++rank) {
    if (failed[size_t(rank)] == 0) continue;
    if (rank == world.rank()) print(mine);
    return failed[size_t(rank)];
  }
  return mine.code;
}

}  // namespace

int main(int argc, char** argv) {
  std::unique_ptr<World> world;
  if (started_by_mpi()) {
    try {
      world = open_world();
    } catch (const std::exception& error) {
      print({cli::failure, error.what()});
      return cli::failure;
    }
  }
  const Comm& comm = world ? *world : serial_comm();
  CLI::App app(
      "Spectral clustering (normalized cut) of large data, without the n x n matrix.\n"
      "    mbsc cluster points.csv -k 10\n",
      "mbsc");
  app.set_version_flag("--version", "mbsc " + version());
  app.require_subcommand(1);
  app.footer("Run `mbsc COMMAND --help` for a command's options.");
  cli::Command chosen;
  for (const auto& add :
       {cli::add_cluster, cli::add_generate, cli::add_score, cli::add_info, cli::add_bench, cli::add_options}) {
    const cli::Command command = add(app);
    app.get_subcommands({}).back()->callback([&chosen, command] { chosen = command; });
  }
  Outcome outcome = parse(app, argc, argv, comm.rank() == 0);
  if (chosen && outcome.message.empty()) outcome = run(chosen, comm);
  if (world) return end(*world, outcome);
  print(outcome);
  return outcome.code;
}
