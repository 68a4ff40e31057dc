// SPDX-License-Identifier: Apache-2.0
#include "bench/convergence/data_set.h"

#include <algorithm>
#include <cmath>

#include "mbsc/affinity/scaling.h"
#include "mbsc/base/random.h"
#include "mbsc/base/require.h"

namespace mbsc::bench {
namespace {

/// The median over random pairs of distinct points.
double median_squared_distance(const Points& points) {
  constexpr int64_t pairs = 100'000;
  const Random random(0, Stream::gamma);
  std::vector<double> distances;
  for (int64_t p = 0; p < pairs; ++p) {
    const int64_t i = random.below(points.rows, uint64_t(p), 0);
    const int64_t j = (i + 1 + random.below(points.rows - 1, uint64_t(p), 1)) % points.rows;
    double sum = 0;
    for (int64_t f = 0; f < points.features; ++f) sum += std::pow(points(i, f) - points(j, f), 2);
    distances.push_back(sum);
  }
  std::nth_element(distances.begin(), distances.begin() + pairs / 2, distances.end());
  return distances[pairs / 2];
}

/// Reduces Covtype to the rows of Covtype-I, ascending, with the classes 0 to 4.
void choose_covtype_rows(DataSet& set) {
  constexpr int64_t drawn = 14'129;
  std::vector<int64_t> frequent, rows;
  for (int64_t i = 0; i < set.points.rows; ++i) (set.table.truth[size_t(i)] < 2 ? frequent : rows).push_back(i);
  require(set.table.class_names.size() == 7 && set.table.class_names[0] == "1" && int64_t(frequent.size()) >= drawn,
          "covtype must have the classes 1 to 7; got {} classes", set.table.class_names.size());
  const KeyedPermutation permutation(int64_t(frequent.size()), Random(0, Stream::generate), 0);
  for (int64_t i = 0; i < drawn; ++i) rows.push_back(frequent[size_t(permutation(i))]);
  std::sort(rows.begin(), rows.end());

  constexpr int32_t class_of[] = {0, 1, 2, 3, 3, 3, 4};
  set.clusters = 5;
  set.truth.clear();
  set.chosen = Matrix<float>(int64_t(rows.size()), set.points.features);
  for (int64_t i = 0; i < set.chosen.rows(); ++i) {
    set.truth.push_back(class_of[set.table.truth[size_t(rows[size_t(i)])]]);
    // The values are integers that float32 represents exactly.
    for (int64_t f = 0; f < set.chosen.cols(); ++f) set.chosen(i, f) = float(set.points.raw(rows[size_t(i)], f));
  }
  Points points(set.chosen.view());
  points.shift = set.points.shift;
  points.scale = set.points.scale;
  set.points = points;
  set.table = Table();
}

}  // namespace

const std::vector<std::string>& data_set_names() {
  static const std::vector<std::string> names = {"pendigits",   "shuttle",      "mnist",   "covtype-I", "covtype-II",
                                                 "pendigits-4", "pendigits-16", "mnist-4", "mnist-16"};
  return names;
}

DataSet load_data_set(const std::string& name, const std::string& folder, int threads) {
  const auto& names = data_set_names();
  require(std::find(names.begin(), names.end(), name) != names.end(), "there is no data set {}", name);
  DataSet set;
  set.name = name;
  set.file = name.substr(0, name.find('-'));
  ReadOptions options;
  options.label_column = "last";
  options.threads = threads;
  set.table = read_table(folder + "/" + set.file + ".csv.gz", options);
  set.points = set.table.points();
  set.clusters = 10;
  if (set.file == "covtype") {
    apply_scaling(set.points, Scaling::unit, 0, threads);
    set.gamma = 1 / (1.15 * 1.15);
    set.truth = set.table.truth;
    set.clusters = 7;
    if (name == "covtype-I") choose_covtype_rows(set);
    return set;
  }
  set.truth = set.table.truth;
  if (set.file == "shuttle") {
    apply_scaling(set.points, Scaling::symmetric, 43'500, threads);
    set.clusters = 7;
    set.gamma = 1 / (0.45 * 0.45);
  } else if (set.file == "mnist") {
    set.points.scale.assign(size_t(set.points.features), 1.0 / 255);
    set.gamma = 1 / (4.08 * 4.08);
  } else {
    set.gamma = 1 / (223.61 * 223.61);
  }
  if (name != set.file) {
    set.wants_cut = true;
    set.gamma = std::stod(name.substr(name.find('-') + 1)) / median_squared_distance(set.points);
  }
  return set;
}

}  // namespace mbsc::bench
