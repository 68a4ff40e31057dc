// SPDX-License-Identifier: Apache-2.0
// bench_convergence: measures how near each method comes to the exact leading eigenvectors within a budget of passes.
//     bench_convergence --data pendigits --methods paper,ours --seeds 0-4 --budgets 0.1,0.5,1 --output result.json
// The script `run` in this folder calls it for every data set, method and seed, and makes the tables and the figure.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "bench/convergence/measure.h"
#include "mbsc/affinity/kernel/kernel_affinity.h"
#include "mbsc/base/require.h"
#include "mbsc/base/thread_pool.h"
#include "mbsc/cluster.h"
#include "mbsc/io/write.h"

namespace mbsc::bench {
namespace {

using nlohmann::ordered_json;

struct Flags {
  std::string data;
  std::vector<std::string> methods;
  std::string seeds = "0-4";
  std::vector<double> budgets = {0.1, 0.25, 0.5, 1, 2, 3};
  int64_t landmarks = 2000;
  std::string output;
  std::string cache = "build/convergence-references";
  int threads = default_threads();
};

/// The seeds that a text such as "0-4" or "3" names.
std::vector<uint64_t> seeds_of(const std::string& text) {
  const size_t dash = text.find('-');
  const uint64_t first = std::stoull(text),
                 last = dash == std::string::npos ? first : std::stoull(text.substr(dash + 1));
  std::vector<uint64_t> seeds;
  for (uint64_t seed = first; seed <= last; ++seed) seeds.push_back(seed);
  return seeds;
}

std::string data_folder() {
  const char* folder = std::getenv("MBSC_DATA");
  return folder != nullptr && *folder != 0 ? folder : "data";
}

ordered_json optional_number(const std::optional<double>& x) { return x ? ordered_json(*x) : ordered_json(nullptr); }

ordered_json to_json(const Measurement& m, int64_t n) {
  return {{"budget", m.budget},
          {"passes", double(m.columns) / double(n)},
          {"columns", m.columns},
          {"within_budget", m.within_budget},
          {"landmarks", m.landmarks},
          {"block_columns", m.block_columns},
          {"block_error", m.block_error},
          {"error", m.error},
          {"nmi", m.nmi},
          {"seconds", m.seconds},
          {"normalized_cut", optional_number(m.normalized_cut)},
          {"largest_residual", optional_number(m.largest_residual)}};
}

void print(const std::string& data, const std::string& method, uint64_t seed, const Measurement& m, int64_t n) {
  fmt::print(
      "{} {} seed {} budget {:g}: passes {:.4f}{}, block error {:.2e} ({} columns), error {:.2e}, NMI {:.4f}, {:.2f} "
      "s\n",
      data, method, seed, m.budget, double(m.columns) / double(n), m.within_budget ? "" : " (over the budget)",
      m.block_error, m.block_columns, m.error, m.nmi, m.seconds);
  std::fflush(stdout);
}

void run(const Flags& flags) {
  if (!flags.output.empty()) check_writable(flags.output);
  const DataSet set = load_data_set(flags.data, data_folder(), flags.threads);
  const int64_t n = set.points.rows;
  fmt::print("{}: n {}, d {}, k {}, gamma {:.6g}\n", set.name, n, set.points.features, set.clusters, set.gamma);
  std::fflush(stdout);
  const KernelAffinity<float> affinity(set.points, {KernelKind::rbf, set.gamma}, RowSpace(n, flags.threads));
  const auto is_ours = [](const std::string& method) { return method == "ours" || method == "tolerance"; };
  const bool neighbors = std::any_of(flags.methods.begin(), flags.methods.end(), is_ours);
  const SharedDegrees degrees = find_degrees(set, affinity, flags.cache, neighbors ? neighbors_kept(n) : 0);
  const Normalized<float> L(affinity, degrees.degrees, 0);
  ordered_json json;
  json["program"] = {{"version", version()},
                     {"compiler", MBSC_BENCH_COMPILER},
                     {"flags", MBSC_BENCH_FLAGS},
                     {"simd", simd_level()},
                     {"threads", flags.threads}};
  json["data"] = {{"name", set.name},
                  {"n", n},
                  {"d", set.points.features},
                  {"clusters", set.clusters},
                  {"gamma", set.gamma},
                  {"regularization", 0},
                  {"isolated_points", L.isolated_count()},
                  {"degrees_seconds", degrees.seconds}};
  json["runs"] = ordered_json::array();
  if (!flags.methods.empty()) {
    const Reference reference = find_reference(set, degrees.degrees, flags.cache, flags.threads);
    json["reference"] = {{"values", reference.values},
                         {"next_value", reference.next_value},
                         {"largest_residual", reference.largest_residual},
                         {"status", reference.status},
                         {"seconds", reference.seconds}};
    for (const std::string& method : flags.methods)
      for (const uint64_t seed : seeds_of(flags.seeds)) {
        Measurements measurements(set, L, reference, seed);
        run_method(method, L, set.clusters, seed, flags.budgets, flags.landmarks,
                   [&](const Outcome& outcome) { print(set.name, method, seed, measurements.add(outcome), n); });
        measurements.finish();
        ordered_json results = ordered_json::array();
        for (const Measurement& m : measurements.all()) results.push_back(to_json(m, n));
        json["runs"].push_back({{"method", method},
                                {"seed", seed},
                                {"exact_nmi", measurements.exact().nmi},
                                {"exact_normalized_cut", optional_number(measurements.exact().normalized_cut)},
                                {"results", results}});
      }
  }
  if (!flags.output.empty()) write_text(flags.output, json.dump(1) + "\n");
}

int main_of(int argc, char** argv) {
  Flags flags;
  CLI::App app("Subspace error against passes");
  app.add_option("--data", flags.data, fmt::format("{}", fmt::join(data_set_names(), ", ")))->required();
  app.add_option("--methods", flags.methods,
                 fmt::format("{}; without it, only the degrees are computed", fmt::join(method_names(), ", ")))
      ->delimiter(',')
      ->check(CLI::IsMember(method_names()));
  app.add_option("--seeds", flags.seeds, "a range such as 0-4, or one number")->check([](const std::string& text) {
    return text.find_first_not_of("0123456789-") == std::string::npos
               ? ""
               : "seeds must be a range such as 0-4, or one number";
  });
  app.add_option("--budgets", flags.budgets, "budgets in passes")->delimiter(',')->check(CLI::PositiveNumber);
  app.add_option("--landmarks", flags.landmarks, "most landmarks of nystrom")->check(CLI::PositiveNumber);
  app.add_option("--output", flags.output, "JSON file of the results");
  app.add_option("--cache", flags.cache, "folder where exact eigenvectors and degrees are kept")->capture_default_str();
  app.add_option("--threads", flags.threads, "number of threads")->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  std::sort(flags.budgets.begin(), flags.budgets.end());
  try {
    run(flags);
  } catch (const InvalidInput& error) {
    fmt::print(stderr, "bench_convergence: {}\n", error.what());
    return 2;
  }
  return 0;
}

}  // namespace
}  // namespace mbsc::bench

int main(int argc, char** argv) { return mbsc::bench::main_of(argc, argv); }
