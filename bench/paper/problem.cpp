// SPDX-License-Identifier: Apache-2.0
#include "bench/paper/problem.h"

#include <algorithm>
#include <cmath>

#include "mbsc/affinity/scaling.h"
#include "mbsc/base/random.h"
#include "mbsc/base/require.h"
#include "mbsc/io/synthetic.h"

namespace mbsc::bench {
namespace {

using nlohmann::ordered_json;

DataSet generate_blobs(int64_t points) {
  DataSet set;
  set.name = set.file = "blobs";
  set.clusters = 5;
  SyntheticOptions options;
  options.shape = Shape::blobs;
  options.n = points > 0 ? points : 2000;
  options.features = 16;
  options.clusters = int(set.clusters);
  options = checked(options);
  set.chosen = Matrix<float>(options.n, options.features);
  set.truth.resize(size_t(options.n));
  make_rows(options, 0, set.chosen.view(), set.truth);
  set.points = Points(set.chosen.view());
  set.gamma = choose_gamma(set.points, KernelKind::rbf, set.clusters, 0);
  return set;
}

/// Reduces the set to these rows and to features [0, features). Copies the stored values, and keeps the scaling.
void keep_rows(DataSet& set, const std::vector<int64_t>& rows, int64_t features) {
  Matrix<float> chosen(int64_t(rows.size()), features);
  std::vector<int32_t> truth;
  for (size_t i = 0; i < rows.size(); ++i) {
    truth.push_back(set.truth[size_t(rows[i])]);
    for (int64_t f = 0; f < features; ++f) chosen(int64_t(i), f) = float(set.points.raw(rows[i], f));
  }
  Points points(chosen.view());
  points.shift = set.points.shift;
  points.scale = set.points.scale;
  if (!points.shift.empty()) points.shift.resize(size_t(features));
  if (!points.scale.empty()) points.scale.resize(size_t(features));
  set.chosen = std::move(chosen);
  points.data = set.chosen.data();
  set.points = points;
  set.truth = std::move(truth);
  set.table = Table();
}

std::vector<int64_t> draw_rows(int64_t n, int64_t count) {
  const KeyedPermutation permutation(n, Random(0, Stream::generate), 1);
  std::vector<int64_t> rows;
  for (int64_t i = 0; i < std::min(n, count); ++i) rows.push_back(permutation(i));
  std::sort(rows.begin(), rows.end());
  return rows;
}

/// Replaces the stored values by the scaled ones, each row divided by its length.
void normalize_rows(DataSet& set) {
  Matrix<float> scaled(set.points.rows, set.points.features);
  for (int64_t i = 0; i < scaled.rows(); ++i) {
    double square = 0;
    for (int64_t f = 0; f < scaled.cols(); ++f) square += std::pow(set.points(i, f), 2);
    const double length = square > 0 ? std::sqrt(square) : 1;
    for (int64_t f = 0; f < scaled.cols(); ++f) scaled(i, f) = float(set.points(i, f) / length);
  }
  set.chosen = std::move(scaled);
  set.table = Table();
  set.points = Points(set.chosen.view());
}

/// Removes the scaling of the eleventh and all later features.
void leave_after_ten(Points& points) {
  for (size_t f = 10; f < points.shift.size(); ++f) points.shift[f] = 0;
  for (size_t f = 10; f < points.scale.size(); ++f) points.scale[f] = 1;
}

void scale(DataSet& set, std::string how, int threads) {
  const bool rows = how.ends_with("-rows");
  if (rows) how.resize(how.size() - 5);
  if (how.ends_with("only-ten") || how == "unit-ten")
    keep_rows(set, draw_rows(set.points.rows, set.points.rows), std::min<int64_t>(10, set.points.features));
  set.points.shift.clear();
  set.points.scale.clear();
  if (how.starts_with("unit")) {
    apply_scaling(set.points, Scaling::unit, 0, threads);
  } else if (how.starts_with("symmetric")) {
    apply_scaling(set.points, Scaling::symmetric, 0, threads);
  } else if (how.starts_with("standard")) {
    apply_scaling(set.points, Scaling::standard, 0, threads);
    if (how == "standard-ten") leave_after_ten(set.points);
  } else {
    require(how == "none" || how == "raw", "there is no scaling {}", how);
  }
  if (rows) normalize_rows(set);
}

}  // namespace

Problem load_problem(const ordered_json& request, const std::string& folder, int threads) {
  const std::string name = request.at("name"), how = request.value("scaling", "paper");
  const int64_t points = request.value("points", int64_t{0});
  Problem problem;
  problem.set = name == "blobs" ? generate_blobs(points) : load_data_set(name, folder, threads);
  DataSet& set = problem.set;
  if (points > 0 && points < set.points.rows) keep_rows(set, draw_rows(set.points.rows, points), set.points.features);
  if (how != "paper") scale(set, how, threads);
  if (const double gamma = request.value("gamma", 0.0); gamma > 0) set.gamma = gamma;
  const std::string kernel = request.value("kernel", "rbf");
  require(kernel == "rbf" || kernel == "exponential", "there is no kernel {}", kernel);
  problem.kernel = {kernel == "rbf" ? KernelKind::rbf : KernelKind::exponential, set.gamma};
  problem.as_in_paper = points == 0 && how == "paper" && kernel == "rbf" && !request.contains("gamma");
  return problem;
}

}  // namespace mbsc::bench
