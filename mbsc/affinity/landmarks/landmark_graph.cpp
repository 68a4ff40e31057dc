// SPDX-License-Identifier: Apache-2.0
#include "mbsc/affinity/landmarks/landmark_graph.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mbsc/affinity/graph/components.h"
#include "mbsc/affinity/landmarks/choose_landmarks.h"
#include "mbsc/affinity/landmarks/landmark_search.h"
#include "mbsc/base/random.h"
#include "mbsc/base/require.h"
#include "mbsc/linalg/reduce.h"

namespace mbsc {
namespace {

/// The median of up to about 100,000 of these squared distances; those that are zero do not count. Collective.
float median_square(const RowSpace& rows, const std::vector<float>& squares, int64_t each) {
  std::vector<float> some;
  const int64_t step = std::max<int64_t>(1, rows.n() * each / 100'000), first = rows.own_rows().begin * each;
  for (int64_t e = (first + step - 1) / step * step; e < rows.own_rows().end * each; e += step)
    if (const float square = squares[size_t(e - first)]; square > 0) some.push_back(square);
  some = rows.comm().gather<float>(some);
  if (some.empty()) return 0;
  const auto middle = some.begin() + int64_t(some.size() / 2);
  std::nth_element(some.begin(), middle, some.end());
  return *middle;
}

/// Turns squared distances into weights, in place.
void weigh(const RowSpace& rows, double width, int64_t each, std::vector<float>& squares) {
  rows.for_each_block([&](int64_t, Range range) {
    for (int64_t e = range.begin * each; e < range.end * each; ++e)
      squares[size_t(e)] = landmark_weight(squares[size_t(e)], width, e % each == 0);
  });
}

/// Measures on a sample of points which share of their true nearest landmarks was found. Collective.
void measure_recall(const LandmarkSearch& search, const Points& points, const RowSpace& rows,
                    const NearLandmarks& found, uint64_t seed, GraphReport& report) {
  const int64_t count = std::min<int64_t>(rows.n(), 500), K = found.each;
  const KeyedPermutation order(rows.n(), Random(seed, Stream::landmarks), 3);
  std::vector<int64_t> drawn;
  for (int64_t at = 0; at < count; ++at) drawn.push_back(order(at));
  std::sort(drawn.begin(), drawn.end());
  std::vector<double> shares;  // of own points
  for (const int64_t point : drawn) {
    if (!rows.own_rows().contains(point)) continue;
    const int64_t i = point - rows.own_rows().begin;
    const NearLandmarks truth = search.find_by_brute_force(points.rows_between(i, i + 1), K);
    // A landmark that is as near as the last true one is as good.
    int64_t hits = 0;
    for (int64_t e = 0; e < K; ++e) hits += found.squares[size_t(i * K + e)] <= truth.squares.back();
    shares.push_back(double(hits) / double(K));
  }
  double sum = 0, squares = 0;
  for (const double share : rows.comm().gather<double>(shares)) {
    sum += share;
    squares += share * share;
  }
  report.recall = sum / double(count);
  const double variance = std::max(0.0, squares / double(count) - report.recall * report.recall);
  report.recall_error = std::sqrt(variance / double(count));
}

/// For each landmark, the first landmark of its component. A point with the weights b joins its nearest landmark, of
/// weight b_1, and another of its landmarks, of weight b_r, if b_1 b_r / (sum of b) is positive and at least `weakest`.
/// Collective.
std::vector<int32_t> components_of(const RowSpace& rows, const LandmarkFactor& factor, double weakest) {
  const int64_t K = factor.each, n = rows.local_rows();
  std::vector<int32_t> parent(size_t(factor.size()));
  std::iota(parent.begin(), parent.end(), 0);
  const auto join = [&](int32_t first, int32_t second) {
    const int32_t a = root_of(parent, first), b = root_of(parent, second);
    parent[size_t(std::max(a, b))] = std::min(a, b);
  };
  for (int64_t i = 0; i < n; ++i) {
    const float* weights = factor.weights.data() + i * K;
    if (weights[0] == 0) continue;
    const double least = weakest * std::accumulate(weights, weights + K, 0.0) / double(weights[0]);
    for (int64_t e = 1; e < K && weights[e] > 0 && double(weights[e]) >= least; ++e)  // the weights descend
      join(factor.columns[size_t(i * K)], factor.columns[size_t(i * K + e)]);
  }
  const std::vector<int32_t> of_ranks = rows.comm().gather<int32_t>(parent);
  for (size_t at = 0; at < of_ranks.size(); ++at) join(int32_t(at % parent.size()), of_ranks[at]);
  for (int32_t& landmark : parent) landmark = root_of(parent, landmark);
  return parent;
}

/// The sums over all ranks of each of some counts. Collective.
std::vector<int64_t> add_up(const Comm& comm, const std::vector<int64_t>& counts) {
  std::vector<int64_t> sums(counts.size());
  const std::vector<int64_t> all = comm.gather<int64_t>(counts);
  for (size_t i = 0; i < all.size(); ++i) sums[i % counts.size()] += all[i];
  return sums;
}

/// What isolate_components() found, over all ranks.
struct Isolated {
  int64_t components = 0;  ///< with at least one point that was not isolated before
  int64_t small = 0;       ///< points of components that are too small
  int64_t points = 0;      ///< all points that were isolated
};

/// Isolates components: those that have fewer than `fewest` points or are not among the `most` largest. All weights of
/// their points and of their landmarks become zero. A point belongs to the component of its nearest landmark. Collective.
Isolated isolate_components(const RowSpace& rows, double weakest, int64_t fewest, int64_t most,
                            LandmarkFactor& factor) {
  const int64_t K = factor.each, n = rows.local_rows();
  const std::vector<int32_t> component = components_of(rows, factor, weakest);
  const auto component_of = [&](int64_t i) { return size_t(component[size_t(factor.columns[size_t(i * K)])]); };
  const auto has_edge = [&](int64_t i) { return factor.weights[size_t(i * K)] > 0; };
  std::vector<int64_t> sizes(component.size());  // in points, at the first landmark of each component
  for (int64_t i = 0; i < n; ++i) sizes[component_of(i)] += has_edge(i) ? 1 : 0;
  sizes = add_up(rows.comm(), sizes);
  std::vector<int32_t> by_size;
  for (size_t r = 0; r < sizes.size(); ++r)
    if (sizes[r] > 0) by_size.push_back(int32_t(r));
  std::stable_sort(by_size.begin(), by_size.end(),
                   [&](int32_t a, int32_t b) { return sizes[size_t(a)] > sizes[size_t(b)]; });
  Isolated isolated{int64_t(by_size.size()), 0, 0};
  std::vector<uint8_t> stays(sizes.size());
  for (size_t c = 0; c < by_size.size(); ++c) {
    const int64_t size = sizes[size_t(by_size[c])];
    stays[size_t(by_size[c])] = int64_t(c) < most && size >= fewest;
    if (size < fewest) isolated.small += size;
    if (stays[size_t(by_size[c])] == 0) isolated.points += size;
  }
  for (int64_t i = 0; i < n; ++i) {
    if (!has_edge(i)) continue;
    const bool leaves = stays[component_of(i)] == 0;
    for (int64_t e = i * K; e < (i + 1) * K; ++e)
      if (leaves || stays[size_t(component[size_t(factor.columns[size_t(e)])])] == 0) factor.weights[size_t(e)] = 0;
  }
  return isolated;
}

/// Isolates the points of specks and of components beyond the k largest. Reports on the components. Returns the number
/// of points in specks.
int64_t isolate_specks(const RowSpace& rows, int64_t k, LandmarkFactor& factor, GraphReport& report) {
  constexpr double weakest = 1e-3;
  const int64_t fewest = rows.n() / (50 * k);
  const Isolated separate = isolate_components(rows, 0, fewest, k, factor);
  const Isolated weak = isolate_components(rows, weakest, fewest, rows.n(), factor);
  report.components = separate.components;
  report.speck_points = separate.points + weak.points;
  return separate.small + weak.small;
}

/// The token for the searches of one rank. Several ranks stop together, between two searches: throws Stopped on all ranks
/// if rank 0 is asked to stop. Collective.
StopToken stop_of(const RowSpace& rows, const ClusterOptions& options) {
  if (rows.comm().size() == 1) return options.stop;
  if (rows.comm().broadcast<int>(options.stop.stop_requested()) != 0) throw Stopped();
  return {};
}

/// Joins each point to its factor.each nearest landmarks, with weights, and isolates the points of specks. Reports on
/// the graph in the plan. Returns the number of points in specks. Collective.
int64_t join(const Points& points, const LandmarkSearch& search, const RowSpace& rows, Plan& plan,
             LandmarkFactor& factor) {
  const ClusterOptions& options = plan.options;
  GraphReport& report = plan.graph.emplace();
  factor.columns = {};
  factor.weights = {};
  NearLandmarks found = search.find(points, factor.each, rows.threads(), stop_of(rows, options));
  measure_recall(search, points, rows, found, options.seed, report);
  factor.width = report.width = landmark_width(rows, found.squares, factor.each);
  factor.columns = std::move(found.landmarks);
  factor.weights = std::move(found.squares);
  weigh(rows, factor.width, factor.each, factor.weights);
  return isolate_specks(rows, options.clusters, factor, report);
}

}  // namespace

int64_t automatic_landmarks(int64_t n, int64_t clusters) {
  return std::min(n, std::max({std::min<int64_t>(n / 4, 3000), int64_t{200}, 20 * clusters}));
}

double landmark_width(const RowSpace& rows, const std::vector<float>& squares, int64_t each) {
  const double most = 100 * double(median_square(rows, squares, each));
  const std::vector<double> sums = sum_over_blocks(rows, 2, [&](int64_t, Range range, std::span<double> out) {
    for (int64_t e = range.begin * each; e < range.end * each; ++e) {
      const double square = squares[size_t(e)];
      if (!(square > 0) || square > most) continue;
      out[0] += std::sqrt(square);
      ++out[1];
    }
  });
  return sums[1] > 0 ? sums[0] / sums[1] : 0;
}

std::unique_ptr<LandmarkAffinity> make_landmark_graph(const Points& points, const RowSpace& rows, Plan& plan) {
  ClusterOptions& options = plan.options;
  LandmarkFactor factor;
  factor.landmarks = choose_landmarks(points, rows, *options.landmarks, options.seed, stop_of(rows, options));
  require(factor.size() >= options.clusters, "only {} distinct landmarks; cannot make {} clusters", factor.size(),
          options.clusters);
  options.landmarks = factor.size();
  const LandmarkSearch search(factor.landmarks, options.seed, rows.threads());
  const int64_t first = options.neighbors.value_or(automatic_nearest_landmarks);
  const int64_t most = std::min(factor.size(), options.neighbors.value_or(most_nearest_landmarks));
  for (factor.each = std::min(first, most);; factor.each = std::min(2 * factor.each, most)) {
    const int64_t in_specks = join(points, search, rows, plan, factor);
    if (factor.each == most || in_specks <= plan.n / 100) break;
  }
  options.neighbors = factor.each;
  const int64_t zeros = std::count(factor.weights.begin(), factor.weights.end(), 0.0F);
  plan.graph->edges = plan.n * factor.each - add_up(rows.comm(), {zeros})[0];
  Matrix<float> ones(rows.local_rows(), 1);
  std::fill_n(ones.data(), ones.size(), 1.0F);
  const Matrix<double> degrees = gather_to_landmarks(rows, factor, ones);
  factor.degrees.assign(degrees.data(), degrees.data() + degrees.size());
  return std::make_unique<LandmarkAffinity>(std::move(factor), rows);
}

}  // namespace mbsc
