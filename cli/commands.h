// SPDX-License-Identifier: Apache-2.0
// The commands. Each adds itself to the parser; what it returns is the exit code.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

#include "mbsc/comm.h"

namespace mbsc::cli {

enum ExitCode : int {
  done = 0,
  failure = 1,        ///< a fault of ours or of the machine
  bad_input = 2,      ///< usage, file or data
  budget_spent = 3,   ///< before the tolerance that was asked for; results are written
  interrupted = 130,  ///< Ctrl-C
};

/// The ranks that run together: one, where nobody has started several.
using Command = std::function<int(const Comm&)>;

Command add_cluster(CLI::App& app);
Command add_generate(CLI::App& app);
Command add_score(CLI::App& app);
Command add_info(CLI::App& app);
Command add_bench(CLI::App& app);
Command add_options(CLI::App& app);

}  // namespace mbsc::cli
