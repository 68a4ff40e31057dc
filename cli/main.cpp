// SPDX-License-Identifier: Apache-2.0
// mbsc: parse -> call the library -> print. The only place that prints.
#include <fmt/format.h>

#include <cstdio>
#include <new>

#include "cli/commands.h"
#include "mbsc/base/require.h"
#include "mbsc/base/stop_token.h"
#include "mbsc/version.h"

namespace {

int fail(int code, std::string_view message) {
  fmt::print(stderr, "mbsc: {}\n", message);
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace mbsc;
  CLI::App app(
      "Exact normalised cuts of large data, without the n x n matrix.\n"
      "    mbsc cluster points.csv -k 10\n",
      "mbsc");
  app.set_version_flag("--version", std::string("mbsc ") + version);
  app.require_subcommand(1);
  app.footer("mbsc COMMAND --help tells the options of a command.");
  cli::Command chosen;
  for (const auto& add : {cli::add_cluster, cli::add_generate, cli::add_score, cli::add_info, cli::add_bench}) {
    const cli::Command command = add(app);
    app.get_subcommands({}).back()->callback([&chosen, command] { chosen = command; });
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {  // --help, --version
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    const auto named = app.get_subcommands([&](CLI::App* command) { return argc > 1 && command->check_name(argv[1]); });
    if (argc > 1 && argv[1][0] != '-' && named.empty())
      return fail(cli::bad_input, fmt::format("unknown command '{}'\nmbsc --help tells what there is.", argv[1]));
    return fail(cli::bad_input, fmt::format("{}\nmbsc --help tells what there is.", error.what()));
  }
  try {
    return chosen();
  } catch (const InvalidInput& error) {
    return fail(cli::bad_input, error.what());
  } catch (const Stopped&) {
    return fail(cli::interrupted, "interrupted before there was an answer; nothing was written");
  } catch (const std::bad_alloc&) {
    return fail(cli::bad_input, "out of memory");
  } catch (const std::exception& error) {
    return fail(cli::failure, error.what());
  }
}
