// SPDX-License-Identifier: Apache-2.0
// The commands. Each add_ function adds a command to the parser and returns the function that runs the command.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

#include "mbsc/comm.h"

namespace mbsc::cli {

enum ExitCode : int {
  done = 0,
  failure = 1,        ///< an error of the program or of the machine
  bad_input = 2,      ///< invalid usage, file or data; also not enough memory
  budget_spent = 3,   ///< the given tolerance was not reached; results are written
  interrupted = 130,  ///< Ctrl-C
};

/// Runs a command and returns its exit code. The argument is the communicator of all ranks; without mpirun it has one
/// rank.
using Command = std::function<int(const Comm&)>;

Command add_cluster(CLI::App& app);
Command add_generate(CLI::App& app);
Command add_score(CLI::App& app);
Command add_info(CLI::App& app);
Command add_bench(CLI::App& app);
Command add_options(CLI::App& app);

}  // namespace mbsc::cli
