// SPDX-License-Identifier: Apache-2.0
// mbsc generate: synthetic points with known classes, features first, class last.
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

namespace mbsc::cli {
namespace {

struct GenerateFlags {
  std::string shape, output = "-";
  SyntheticOptions options;
  std::optional<double> noise;
  bool quiet = false;
};

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

std::string csv_text(MatrixView<const float> rows, std::span<const int32_t> classes) {
  std::string text;
  for (int64_t i = 0; i < rows.rows; ++i) {
    for (int64_t f = 0; f < rows.cols; ++f) fmt::format_to(std::back_inserter(text), "{:.6g},", rows(i, f));
    fmt::format_to(std::back_inserter(text), "{}\n", classes[size_t(i)]);
  }
  return text;
}

int run(const GenerateFlags& flags) {
  static const std::map<std::string, Shape> shapes{
      {"rings", Shape::rings}, {"moons", Shape::moons}, {"blobs", Shape::blobs}, {"spirals", Shape::spirals}};
  require(shapes.count(flags.shape) > 0, "shape must be rings, moons, blobs or spirals; got '{}'", flags.shape);
  const bool npy = ends_with(flags.output, ".npy");
  require(flags.output == "-" || npy || ends_with(flags.output, ".csv"),
          "output must end in .csv or .npy, or be -; got '{}'", flags.output);
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
  if (npy) {
    Matrix<float> table(options.n, options.features + 1);
    for (int64_t i = 0; i < options.n; ++i) {
      std::copy_n(rows.row(i), options.features, table.row(i));
      table(i, options.features) = float(classes[size_t(i)]);
    }
    write_npy(flags.output, table.view());
  } else {
    write_text(flags.output, csv_text(rows, classes));
  }
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
  command->add_option("-o,--output", flags->output, "a .csv or .npy file; - = csv to standard output");
  command->add_flag("-q,--quiet", flags->quiet, "say nothing but errors");
  return [flags](const Comm& comm) { return comm.rank() == 0 ? run(*flags) : int(done); };  // one is enough
}

}  // namespace mbsc::cli
