// SPDX-License-Identifier: Apache-2.0
// mbsc options: prints docs/options.md from the option table.
#include <fmt/format.h>

#include "cli/commands.h"
#include "mbsc/options/table.h"

namespace mbsc::cli {

Command add_options(CLI::App& app) {
  app.add_subcommand("options", "print every option of a clustering as a Markdown page");
  return [](const Comm& comm) {
    if (comm.rank() == 0) fmt::print("{}", options_page());
    return int(done);
  };
}

}  // namespace mbsc::cli
