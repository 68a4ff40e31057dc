// SPDX-License-Identifier: Apache-2.0
#include "cli/cluster_flags.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "mbsc/base/require.h"
#include "mbsc/base/thread_pool.h"
#include "mbsc/cluster.h"
#include "mbsc/options/table.h"

namespace mbsc::cli {
namespace {

const char* heading(OptionGroup group) {
  switch (group) {
    case OptionGroup::problem:
      return "Problem";
    case OptionGroup::solver:
      return "Solver";
    case OptionGroup::limits:
      return "Limits";
    case OptionGroup::run:
      return "Run";
  }
  return "";
}

const char* type_name(OptionKind kind) {
  switch (kind) {
    case OptionKind::integer:
      return "INT";
    case OptionKind::real:
      return "NUMBER";
    case OptionKind::bytes:
      return "SIZE";
    default:
      return "WORD";
  }
}

/// The help of an option, such as "minibatch, adagrad: columns of the block beyond k [auto: max(4, 2k); adagrad: 0]".
std::string help_of(const OptionRow& row) {
  std::string text = methods_text(row);
  if (!text.empty()) text += ": ";
  text += row.description;
  if (!row.words.empty()) {
    std::string words;
    for (const std::string& word : row.words) words += (words.empty() ? "" : " | ") + word;
    text += fmt::format(" ({})", words);
  }
  if (row.name == "clusters") return text + "; required";
  return text + fmt::format(" [{}{}]", row.can_be_automatic() ? "auto: " : "", default_text(row));
}

void add_row(CLI::App& command, const OptionRow& row, std::map<std::string, std::string>& typed) {
  const auto keep = [&row, &typed](const std::string& text) { typed[row.name] = text; };
  if (row.kind == OptionKind::flag) {
    const std::string dashed = row.flag.substr(2);
    command
        .add_flag_callback(
            row.flag, [keep] { keep("true"); }, help_of(row))
        ->group(heading(row.group));
    command
        .add_flag_callback(
            "--no-" + dashed, [keep] { keep("false"); }, "disable " + row.flag)
        ->group(heading(row.group));
    return;
  }
  command.add_option_function<std::string>(row.flag, keep, help_of(row))
      ->type_name(type_name(row.kind))
      ->group(heading(row.group));
  if (row.old_name.empty()) return;
  const auto warn = [keep, &row](const std::string& text) {
    fmt::print(stderr, "mbsc: warning: --{} is now {}; the old name will be removed\n", row.old_name, row.flag);
    keep(text);
  };
  command.add_option_function<std::string>("--" + row.old_name, warn, "old name of " + row.flag)->group("");
}

}  // namespace

void ClusterFlags::add_to(CLI::App& command) {
  command
      .add_option("input", input,
                  "points (csv, tsv, libsvm, npy; with --affinity precomputed a matrix) or a graph (mtx, npz, edges), "
                  "plain or gzip; - = standard input")
      ->required();
  std::string formats = "auto";
  for (const std::string& name : format_names()) formats += " | " + name;
  command.add_option("--format", format, "format of the input (" + formats + ") [auto]")->group("Reading");
  command.add_option("--label-column", label_column, "column of the true classes (last | first | N, counted from 1)")
      ->group("Reading");
  for (const OptionRow& row : option_rows()) add_row(command, row, options);
  command.add_option("--sigma", sigma, "set gamma = 1 / sigma^2")->excludes("--gamma")->group("Problem");
  command
      .add_option("--preset", preset,
                  "paper = the settings of Han & Filippone; other options that you give take precedence")
      ->group("Solver");
  const char* results = "Results";
  command
      .add_option(
          "--labels", labels,
          "write one label per line, in input order (edges: the id of the node, a tab and its label); - = standard "
          "output [NAME.labels.txt if standard output is a terminal or there are several ranks, else -]")
      ->group(results);
  command.add_option("--embedding", embedding, "write the n x k eigenvectors as .npy")->group(results);
  command.add_option("--summary", summary, "write every setting and result as .json")->group(results);
  command.add_flag("-q,--quiet", quiet, "print errors only")->group(results);
}

ReadOptions ClusterFlags::read_options(const StopToken& stop) const {
  ReadOptions read;
  if (format != "auto") read.format = format;
  read.label_column = label_column;
  read.stop = stop;
  return read;
}

ClusterOptions ClusterFlags::cluster_options(int64_t n, const StopToken& stop) const {
  ClusterOptions result;
  const auto set = [&](const std::string& name) {
    const auto typed = options.find(name);
    if (typed == options.end()) return;
    const OptionRow& row = *find_option(name);
    row.set(result, parse_option(row, typed->second));
  };
  set("method");  // first, because a preset sets only options that apply to the method
  if (preset) apply_preset(*preset, n, result);
  for (const OptionRow& row : option_rows()) set(row.name);
  require(options.count("clusters") > 0, "-k (--clusters) is required: how many clusters?");
  if (sigma) {
    require(std::isfinite(*sigma) && *sigma > 0, "sigma must be positive; got {}", *sigma);
    result.gamma = 1 / (*sigma * *sigma);
    require(std::isfinite(*result.gamma) && *result.gamma > 0, "sigma = {} is out of range: gamma = 1 / sigma^2 = {}",
            *sigma, *result.gamma);
  }
  result.stop = stop;
  return result;
}

void ClusterFlags::check_options() const {
  const int64_t any = std::numeric_limits<int64_t>::max();
  const ClusterOptions given = cluster_options(any, {});
  check_ranges(given, any);
  check_conditions(given);
  if (given.method) check_applies(given, find_solver(*given.method, given.step_rule));
}

}  // namespace mbsc::cli
