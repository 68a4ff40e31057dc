// SPDX-License-Identifier: Apache-2.0
// mbsc info: what a file contains, as the reader sees it.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/commands.h"
#include "cli/interrupt.h"
#include "mbsc/base/thread_pool.h"
#include "mbsc/read.h"

namespace mbsc::cli {
namespace {

struct InfoFlags {
  std::string input, label_column;
  bool json = false;
};

int run(const InfoFlags& flags) {
  ReadOptions options;
  options.label_column = flags.label_column;
  options.threads = default_threads();
  options.stop = stop_on_interrupt();
  const Table table = read_table(flags.input, options);
  const Points points = table.points();
  std::vector<double> minimum, maximum;
  for (int64_t f = 0; f < points.features; ++f) {
    double least = points(0, f), largest = least;
    for (int64_t i = 1; i < points.rows; ++i) {
      least = std::min(least, points(i, f));
      largest = std::max(largest, points(i, f));
    }
    minimum.push_back(least);
    maximum.push_back(largest);
  }
  const char* type = table.type == ScalarType::float32 ? "float32" : "float64";
  std::vector<int64_t> sizes(table.class_names.size());
  for (const int32_t c : table.truth) ++sizes[size_t(c)];
  if (flags.json) {
    nlohmann::ordered_json j{{"input", flags.input}, {"format", table.format}, {"n", table.rows},
                             {"d", table.features},  {"type", type},           {"memory_bytes", table.memory_bytes()}};
    j["feature_names"] = table.feature_names;
    j["classes"] =
        table.truth.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(table.class_names.size());
    j["class_names"] = table.class_names;
    j["class_sizes"] = sizes;
    j["minimum"] = minimum;
    j["maximum"] = maximum;
    fmt::print("{}\n", j.dump(2));
    return done;
  }
  fmt::print("{}: {}\nrows      {}\nfeatures  {}\nmemory    {:.1f} MiB as {}\n", flags.input, table.format, table.rows,
             table.features, double(table.memory_bytes()) / double(1 << 20), type);
  for (size_t c = 0; c < table.class_names.size(); ++c)
    fmt::print("class     {}: {} rows\n", table.class_names[c], sizes[c]);
  for (size_t f = 0; f < minimum.size(); ++f)
    fmt::print("feature   {}: {:g} .. {:g}\n",
               table.feature_names.empty() ? std::to_string(f + 1) : table.feature_names[f], minimum[f], maximum[f]);
  return done;
}

}  // namespace

Command add_info(CLI::App& app) {
  CLI::App* command = app.add_subcommand("info", "describe the contents of a file");
  const auto flags = std::make_shared<InfoFlags>();
  command->add_option("input", flags->input, "csv, tsv, libsvm or npy, plain or gzip; - = standard input")->required();
  command->add_option("--label-column", flags->label_column, "last | first | N (from 1)");
  command->add_flag("--json", flags->json, "print JSON");
  return [flags](const Comm& comm) { return comm.rank() == 0 ? run(*flags) : int(done); };  // one rank is enough
}

}  // namespace mbsc::cli
