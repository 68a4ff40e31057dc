// SPDX-License-Identifier: Apache-2.0
// mbsc generate: synthetic points with known classes. A row has its features first and its class last.
#include <fmt/format.h>

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "cli/commands.h"
#include "cli/interrupt.h"
#include "mbsc/base/require.h"
#include "mbsc/io/synthetic.h"
#include "mbsc/io/write.h"
#include "mbsc/io/writer.h"

namespace mbsc::cli {
namespace {

struct GenerateFlags {
  std::string shape, output = "-";
  SyntheticOptions options;
  std::optional<double> noise;
  bool quiet = false;
};

int run(const GenerateFlags& flags) {
  static const std::map<std::string, Shape> shapes{
      {"rings", Shape::rings}, {"moons", Shape::moons}, {"blobs", Shape::blobs}, {"spirals", Shape::spirals}};
  require(shapes.count(flags.shape) > 0, "shape must be rings, moons, blobs or spirals; got '{}'", flags.shape);
  const Writer& writer = find_writer(flags.output);
  SyntheticOptions options = flags.options;
  options.shape = shapes.at(flags.shape);
  if (flags.noise) {
    require(*flags.noise >= 0, "noise must be at least 0; got {}", *flags.noise);
    options.noise = *flags.noise;
  }
  options = checked(options);
  check_writable(flags.output);
  Matrix<float> rows(options.n, options.features);
  std::vector<int32_t> classes(static_cast<size_t>(options.n));
  make_rows(options, 0, rows, classes);
  writer.write(flags.output, rows, classes);
  if (!flags.quiet)
    fmt::print(stderr, "{}: {} points, {} features, {} classes in the last column\n", flags.output, options.n,
               options.features, options.clusters);
  return done;
}

}  // namespace

Command add_generate(CLI::App& app) {
  CLI::App* command = app.add_subcommand("generate", "make synthetic points with known classes");
  const auto flags = std::make_shared<GenerateFlags>();
  command->add_option("shape", flags->shape, "rings | moons | blobs | spirals")->required();
  command->add_option("--n", flags->options.n, "points [1000]");
  command->add_option("--clusters", flags->options.clusters, "classes [2; blobs 3]");
  command->add_option("--features", flags->options.features, "features, for blobs [2]");
  command->add_option("--noise", flags->noise, "standard deviation of the noise");
  command->add_option("--seed", flags->options.seed, "same seed, same points [0]");
  command->add_option("-o,--output", flags->output,
                      fmt::format("a {} file; - = csv to standard output", writer_endings()));
  command->add_flag("-q,--quiet", flags->quiet, "print errors only");
  return [flags](const Comm& comm) { return comm.rank() == 0 ? run(*flags) : int(done); };  // one rank is enough
}

}  // namespace mbsc::cli
