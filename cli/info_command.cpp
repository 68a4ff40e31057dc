// SPDX-License-Identifier: Apache-2.0
// mbsc info: what a file contains, as the reader sees it.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/commands.h"
#include "cli/interrupt.h"
#include "mbsc/affinity/graph/clean_graph.h"
#include "mbsc/affinity/graph/components.h"
#include "mbsc/base/thread_pool.h"
#include "mbsc/read.h"

namespace mbsc::cli {
namespace {

using nlohmann::ordered_json;

struct InfoFlags {
  std::string input, format = "auto", label_column;
  bool json = false;
};

void print_table(const InfoFlags& flags, const Table& table) {
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
    ordered_json j{{"input", flags.input}, {"format", table.format}, {"n", table.rows},
                   {"d", table.features},  {"type", type},           {"memory_bytes", table.memory_bytes()}};
    j["feature_names"] = table.feature_names;
    j["classes"] = table.truth.empty() ? ordered_json(nullptr) : ordered_json(table.class_names.size());
    j["class_names"] = table.class_names;
    j["class_sizes"] = sizes;
    j["minimum"] = minimum;
    j["maximum"] = maximum;
    fmt::print("{}\n", j.dump(2));
    return;
  }
  fmt::print("{}: {}\nrows      {}\nfeatures  {}\nmemory    {:.1f} MiB as {}\n", flags.input, table.format, table.rows,
             table.features, double(table.memory_bytes()) / double(1 << 20), type);
  for (size_t c = 0; c < table.class_names.size(); ++c)
    fmt::print("class     {}: {} rows\n", table.class_names[c], sizes[c]);
  for (size_t f = 0; f < minimum.size(); ++f)
    fmt::print("feature   {}: {:g} .. {:g}\n",
               table.feature_names.empty() ? std::to_string(f + 1) : table.feature_names[f], minimum[f], maximum[f]);
}

/// A graph that is not symmetric is described as if symmetrize were max: two nodes have an edge if there is an entry in at
/// least one direction.
void print_graph(const InfoFlags& flags, const GraphFile& file, int threads) {
  const RowSpace rows(file.graph.nodes, threads);
  const CleanGraph clean = clean_graph(file.graph, rows);
  bool is_symmetric = true;
  try {
    make_symmetric(clean, std::nullopt, rows);
  } catch (const AsymmetricGraph&) {
    is_symmetric = false;
  }
  const SparseMatrix matrix = make_symmetric(clean, Symmetrize::max, rows);
  const Components components = find_components(matrix);
  const int64_t edges = int64_t(matrix.columns.size()) / 2, largest = components.sizes.front();
  int64_t isolated = 0;
  for (int64_t i = 0; i < matrix.rows(); ++i) isolated += matrix.starts[size_t(i)] == matrix.starts[size_t(i) + 1];
  const auto [least, most] = std::minmax_element(matrix.values.begin(), matrix.values.end());
  const float minimum = edges > 0 ? *least : 0, maximum = edges > 0 ? *most : 0;
  if (flags.json) {
    const ordered_json j{{"input", flags.input},
                         {"format", file.format},
                         {"nodes", file.graph.nodes},
                         {"edges", edges},
                         {"symmetric", is_symmetric},
                         {"loops", clean.loops},
                         {"components", components.count()},
                         {"largest_component", largest},
                         {"isolated_nodes", isolated},
                         {"minimum", minimum},
                         {"maximum", maximum},
                         {"memory_bytes", file.memory_bytes()}};
    fmt::print("{}\n", j.dump(2));
    return;
  }
  fmt::print(
      "{}: {}\nnodes       {}\nedges       {}{}\ncomponents  {} (the largest has {} nodes; {} nodes have no edge)\n"
      "loops       {}\nweights     {:g} .. {:g}\nmemory      {:.1f} MiB\n",
      flags.input, file.format, file.graph.nodes, edges, is_symmetric ? "" : " (not symmetric: --symmetrize)",
      components.count(), largest, isolated, clean.loops, minimum, maximum,
      double(file.memory_bytes()) / double(1 << 20));
}

int run(const InfoFlags& flags) {
  ReadOptions options;
  if (flags.format != "auto") options.format = flags.format;
  options.label_column = flags.label_column;
  options.threads = default_threads();
  options.stop = stop_on_interrupt();
  const Content content = read_content(flags.input, options, serial_comm());
  if (!content.graph) {
    print_table(flags, content.rows.own);
    return done;
  }
  try {
    print_graph(flags, *content.graph, options.threads);
  } catch (const InvalidInput& error) {
    throw InvalidInput(fmt::format("{}: {}", flags.input, error.what()));
  }
  return done;
}

}  // namespace

Command add_info(CLI::App& app) {
  CLI::App* command = app.add_subcommand("info", "describe the contents of a file");
  const auto flags = std::make_shared<InfoFlags>();
  command
      ->add_option("input", flags->input,
                   "points (csv, tsv, libsvm, npy) or a graph (mtx, npz, edges), plain or gzip; - = standard input")
      ->required();
  std::string formats = "auto";
  for (const std::string& name : format_names()) formats += " | " + name;
  command->add_option("--format", flags->format, formats);
  command->add_option("--label-column", flags->label_column, "last | first | N (from 1)");
  command->add_flag("--json", flags->json, "print JSON");
  return [flags](const Comm& comm) { return comm.rank() == 0 ? run(*flags) : int(done); };  // one rank is enough
}

}  // namespace mbsc::cli
