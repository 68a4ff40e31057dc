// SPDX-License-Identifier: Apache-2.0
#include "bench/convergence/reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "mbsc/affinity/kernel/kernel_affinity.h"
#include "mbsc/base/stopwatch.h"
#include "mbsc/io/write.h"
#include "mbsc/read.h"
#include "mbsc/solvers/krylov/exact.h"
#include "mbsc/solvers/krylov/krylov_until.h"
#include "mbsc/solvers/rayleigh_ritz.h"

namespace mbsc::bench {
namespace {

using nlohmann::ordered_json;

std::string key(const DataSet& set, const std::string& folder, const char* what) {
  // Data sets that differ in gamma alone have the same file name. The gamma in the key distinguishes them.
  const std::string data = set.name.starts_with("covtype") ? set.name : set.file;
  return fmt::format("{}/{}-{}-{:.9g}.{}", folder, data, set.points.rows, set.gamma, what);
}

Matrix<double> read_matrix(const std::string& path) {
  const Table table = read_table(path);
  const Points points = table.points();
  Matrix<double> values(points.rows, points.features);
  for (int64_t i = 0; i < values.rows(); ++i)
    for (int64_t j = 0; j < values.cols(); ++j) values(i, j) = points.raw(i, j);
  return values;
}

/// Whether a result is stored. The JSON file is written last: if it exists, the other file is complete.
bool is_kept(const std::string& path) { return std::filesystem::exists(path + ".json"); }

void keep(const std::string& path, const Matrix<double>& values, const ordered_json& facts) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  write_npy(path + ".npy", values.view());
  write_text(path + ".json", facts.dump(1) + "\n");
}

ordered_json read_facts(const std::string& path) {
  std::ifstream stream(path + ".json");
  return ordered_json::parse(stream);
}

/// Rayleigh quotient number k (counted from 0) of the block; 0 if the block has no more than k columns.
double value_after(const Normalized<double>& L, const Matrix<double>& block, int64_t k) {
  if (block.cols() <= k) return 0;
  Matrix<double> image(block.rows(), block.cols());
  L.multiply(block, image, {});
  return eigen_descending(gram<double>(L.rows(), block, image)).values[k];
}

}  // namespace

SharedDegrees find_degrees(const DataSet& set, const Affinity<float>& affinity, const std::string& folder,
                           int64_t neighbors) {
  const std::string path = key(set, folder, "degrees");
  SharedDegrees found;
  if (neighbors == 0 && is_kept(path)) {
    const Matrix<double> columns = read_matrix(path + ".npy");
    for (int64_t i = 0; i < columns.rows(); ++i) {
      found.degrees.sum.push_back(columns(i, 0));
      found.degrees.squares.push_back(columns(i, 1));
    }
    found.seconds = read_facts(path).at("seconds");
    return found;
  }
  fmt::print("{}: degrees\n", set.name);
  const Stopwatch clock;
  found.degrees = affinity.degrees({}, {}, neighbors);
  found.seconds = clock.seconds();
  if (neighbors > 0) return found;
  Matrix<double> columns(affinity.n(), 2);
  for (int64_t i = 0; i < columns.rows(); ++i) {
    columns(i, 0) = found.degrees.sum[size_t(i)];
    columns(i, 1) = found.degrees.squares[size_t(i)];
  }
  keep(path, columns, {{"seconds", found.seconds}});
  return found;
}

Reference find_reference(const DataSet& set, const Degrees& degrees, const std::string& folder, int threads) {
  const std::string path = key(set, folder, "exact");
  Reference found;
  if (is_kept(path)) {
    const ordered_json facts = read_facts(path);
    found.vectors = read_matrix(path + ".npy");
    found.values = facts.at("values").get<std::vector<double>>();
    found.next_value = facts.at("next_value");
    found.largest_residual = facts.at("largest_residual");
    found.status = facts.at("status");
    found.seconds = facts.at("seconds");
    return found;
  }
  fmt::print("{}: exact eigenvectors, first in float32, then in float64; kept for the next run\n", set.name);
  const Stopwatch clock;
  const RowSpace space(set.points.rows, threads);
  ClusterOptions options;
  options.clusters = set.clusters;
  options.keep_block = true;
  const auto report = [&](const auto& progress) {
    fmt::print("  product {}: largest residual about {:.1e}, {:.0f} s\n", progress.iteration, progress.residual,
               clock.seconds());
    std::fflush(stdout);
    return true;
  };
  const KernelAffinity<float> rough_affinity(set.points, {KernelKind::rbf, set.gamma}, space);
  options.limits.tolerance = 1e-5;
  const EigenPairs<float> rough = solve_exact<float>({rough_affinity, degrees, 0}, options, report);

  const KernelAffinity<double> affinity(set.points, {KernelKind::rbf, set.gamma}, space);
  const Normalized<double> L(affinity, affinity.degrees({}).sum, 0);
  options.limits.tolerance = 1e-7;
  Matrix<double> start(rough.block.rows(), rough.block.cols());
  std::copy_n(rough.block.data(), start.size(), start.data());
  orthonormalize<double>(space, start);
  EigenPairs<double> pairs;
  const Budget budget(L.n(), options.limits, 1000, L.comm());
  krylov_until<double>(L, options, budget, {std::move(start), {}, 0}, report, pairs);
  found.next_value = value_after(L, pairs.block, set.clusters);
  found.vectors = std::move(pairs.vectors);
  found.values = pairs.values;
  found.largest_residual = largest_residual(pairs);
  found.status = to_string(pairs.status);
  found.seconds = clock.seconds();
  keep(path, found.vectors,
       {{"data", set.name},
        {"gamma", set.gamma},
        {"values", found.values},
        {"next_value", found.next_value},
        {"largest_residual", found.largest_residual},
        {"status", found.status},
        {"products", rough.full_products + pairs.full_products},
        {"seconds", found.seconds}});
  return found;
}

}  // namespace mbsc::bench
