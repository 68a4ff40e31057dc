// SPDX-License-Identifier: Apache-2.0
// bench_paper: runs an experiment of the paper on one data set. A request in JSON describes it (problem.h, runs.h,
// variance.h). The script `run` in this folder makes the requests and the report.
//     bench_paper request.json output.json
//     {"data": {...}, "needs_exact": true, "neighbors": true, "runs": [...], "variance": {...},
//      "write_points": "points.npy"}
// Degrees and exact vectors of whole data sets are computed once and stored in the folder `cache`.
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include "bench/convergence/reference.h"
#include "bench/paper/variance.h"
#include "mbsc/base/require.h"
#include "mbsc/base/thread_pool.h"
#include "mbsc/cluster.h"
#include "mbsc/io/write.h"
#include "mbsc/read.h"

namespace mbsc::bench {
namespace {

using nlohmann::ordered_json;

ordered_json read_json(const std::string& path) {
  std::ifstream stream(path);
  require(bool(stream), "{} cannot be read", path);
  return ordered_json::parse(stream);
}

std::string data_folder() {
  const char* folder = std::getenv("MBSC_DATA");
  return folder != nullptr && *folder != 0 ? folder : "data";
}

Matrix<float> read_matrix(const std::string& path) {
  const Table table = read_table(path);
  const Points points = table.points();
  Matrix<float> values(points.rows, points.features);
  for (int64_t i = 0; i < values.rows(); ++i)
    for (int64_t j = 0; j < values.cols(); ++j) values(i, j) = float(points.raw(i, j));
  return values;
}

/// Returns the exact vectors. Those of a whole data set are stored. The JSON file is written last: if it exists, the
/// other file is complete.
Matrix<float> find_exact(const Problem& problem, const std::string& cache, int threads, ordered_json& facts) {
  const std::string path = fmt::format("{}/{}.exact", cache, problem.set.name);
  if (problem.as_in_paper && std::filesystem::exists(path + ".json")) {
    facts = read_json(path + ".json");
    return read_matrix(path + ".npy");
  }
  Matrix<float> vectors = solve_exactly(problem, threads, facts);
  if (problem.as_in_paper) {
    std::filesystem::create_directories(cache);
    write_npy(path + ".npy", MatrixView<const float>(vectors));
    write_text(path + ".json", facts.dump(1) + "\n");
  }
  return vectors;
}

ordered_json describe(const Problem& problem) {
  std::map<int32_t, int64_t> classes;
  for (const int32_t c : problem.set.truth) ++classes[c];
  ordered_json counts = ordered_json::array();
  for (const auto& entry : classes) counts.push_back(entry.second);
  return {{"name", problem.set.name},
          {"n", problem.set.points.rows},
          {"d", problem.set.points.features},
          {"clusters", problem.set.clusters},
          {"class_counts", counts},
          {"gamma", problem.set.gamma},
          {"kernel", problem.kernel.kind == KernelKind::rbf ? "rbf" : "exponential"}};
}

/// Writes the scaled coordinates, with the class in the last column, for the program mbsc.
void write_points(const DataSet& set, const std::string& path) {
  Matrix<float> rows(set.points.rows, set.points.features + 1);
  for (int64_t i = 0; i < rows.rows(); ++i) {
    for (int64_t f = 0; f < set.points.features; ++f) rows(i, f) = float(set.points(i, f));
    rows(i, set.points.features) = float(set.truth[size_t(i)]);
  }
  write_npy(path, MatrixView<const float>(rows));
}

void experiment(const ordered_json& request, const std::string& output) {
  check_writable(output);
  const int threads = default_threads();
  const std::string cache = request.value("cache", "build/paper");
  const Problem problem = load_problem(request.at("data"), data_folder(), threads);
  ordered_json json = {{"program", {{"version", version()}, {"simd", simd_level()}, {"threads", threads}}},
                       {"data", describe(problem)}};
  if (request.contains("write_points")) write_points(problem.set, request.at("write_points"));
  const bool computes = request.contains("runs") || request.contains("variance");
  if (computes) {
    Matrix<float> exact;
    if (request.value("needs_exact", false)) exact = find_exact(problem, cache, threads, json["exact"]);
    const int64_t n = problem.set.points.rows;
    const KernelAffinity<float> affinity(problem.set.points, problem.kernel, RowSpace(n, threads));
    const int64_t neighbors = request.value("neighbors", false) ? neighbors_kept(n) : 0;
    SharedDegrees degrees;
    if (problem.as_in_paper) {
      degrees = find_degrees(problem.set, affinity, cache, neighbors);
    } else {
      degrees.degrees = affinity.degrees({}, {}, neighbors);
    }
    const Normalized<float> L(affinity, degrees.degrees, 0);
    json["data"]["degrees_seconds"] = degrees.seconds;
    json["data"]["isolated_points"] = L.isolated_count();
    const Setting setting{problem, affinity, L, exact};
    for (const ordered_json& run : request.value("runs", ordered_json::array()))
      json["runs"][run.at("name").get<std::string>()] = perform(setting, run);
    if (request.contains("variance")) json["variance"] = measure_variance(setting, request.at("variance"));
  }
  write_text(output, json.dump(1) + "\n");
}

}  // namespace
}  // namespace mbsc::bench

int main(int argc, char** argv) {
  if (argc != 3) {
    fmt::print(stderr, "usage: bench_paper request.json output.json\n");
    return 2;
  }
  try {
    mbsc::bench::experiment(mbsc::bench::read_json(argv[1]), argv[2]);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_paper: {}\n", error.what());
    return 2;
  }
  return 0;
}
