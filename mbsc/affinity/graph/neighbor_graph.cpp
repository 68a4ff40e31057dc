// SPDX-License-Identifier: Apache-2.0
#include "mbsc/affinity/graph/neighbor_graph.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mbsc/affinity/graph/components.h"
#include "mbsc/affinity/graph/weights.h"

namespace mbsc {
namespace {

struct Found {
  SparseMatrix graph;          ///< by place
  std::vector<int32_t> order;  ///< the point at each place
  Components components;
  FittedGraph kept;  ///< without edges; empty unless it was asked for
};

/// The point at a place.
int32_t point_at(const std::vector<int32_t>& order, int64_t place) {
  return order.empty() ? int32_t(place) : order[size_t(place)];
}

/// What new points need to know of the lists.
FittedGraph keep_lists(const NeighborLists& lists, const ClusterOptions& options, double width) {
  const int64_t n = lists.size(), m = lists.each;
  const NeighborWeights weights = options.edge_weights;
  FittedGraph kept;
  kept.each = m;
  kept.metric = options.metric;
  kept.weights = weights;
  kept.edges = options.edges;
  kept.width = width;
  kept.reach.resize(size_t(n));
  kept.local.resize(size_t(n * local_values(weights)));
  if (is_shared(weights)) kept.lists.resize(size_t(n * m));
  for (int64_t place = 0; place < n; ++place) {
    const auto list = lists.of(place);
    const auto i = size_t(point_at(lists.order, place));
    kept.reach[i] = list.back().distance;
    if (weights == NeighborWeights::local) kept.local[i] = float(local_square(list));
    if (weights == NeighborWeights::fuzzy) {
      const FuzzyScale scale = fuzzy_scale(list);
      kept.local[2 * i] = float(scale.rho);
      kept.local[2 * i + 1] = float(scale.sigma);
    }
    for (size_t e = 0; e < list.size() && !kept.lists.empty(); ++e)
      kept.lists[i * size_t(m) + e] = point_at(lists.order, list[e].point);
  }
  return kept;
}

/// Copies the edges, with the points' own numbers.
void keep_edges(const SparseMatrix& graph, const std::vector<int32_t>& order, FittedGraph& kept) {
  const int64_t n = graph.rows();
  kept.starts.assign(size_t(n) + 1, 0);
  for (int64_t place = 0; place < n; ++place)
    kept.starts[size_t(point_at(order, place)) + 1] = graph.starts[size_t(place) + 1] - graph.starts[size_t(place)];
  std::partial_sum(kept.starts.begin(), kept.starts.end(), kept.starts.begin());
  kept.columns.resize(graph.columns.size());
  kept.values.resize(graph.values.size());
  for (int64_t place = 0; place < n; ++place) {
    auto to = size_t(kept.starts[size_t(point_at(order, place))]);
    for (int64_t e = graph.starts[size_t(place)]; e < graph.starts[size_t(place) + 1]; ++e, ++to) {
      kept.columns[to] = point_at(order, graph.columns[size_t(e)]);
      kept.values[to] = graph.values[size_t(e)];
    }
  }
}

/// Builds the graph with `each` neighbors per point, and reports on it in the plan.
Found search_with(int64_t each, const Points& points, const RowSpace& rows, bool keep, Plan& plan) {
  const ClusterOptions& options = plan.options;
  const NeighborSearch search{each, options.recall, options.seed, rows.threads(), options.stop, options.metric};
  NeighborLists lists = find_neighbors(points, rows, search);
  GraphReport& report = plan.graph.emplace();
  report.recall = lists.recall;
  report.recall_error = lists.recall_error;
  report.distinct_points = lists.distinct;
  report.width = *options.edge_width * neighbor_width(lists, rows);
  Found found;
  found.graph = weigh_neighbors(lists, options.edge_weights, report.width, options.edges, rows);
  if (keep) found.kept = keep_lists(lists, options, report.width);
  found.order = std::move(lists.order);
  found.components = find_components(found.graph, rows);
  return found;
}

/// The share of the points that lie in components of fewer than `fewest` points.
double share_below(const Components& components, int64_t fewest, int64_t n) {
  int64_t points = 0;
  for (const int64_t size : components.sizes)
    if (size < fewest) points += size;
  return double(points) / double(n);
}

}  // namespace

int64_t automatic_neighbors(int64_t n, int64_t features) {
  const double bits = std::log2(double(n));
  const auto wanted = int64_t(std::lround(features <= 4 ? 2 * bits - 8 : 1.5 * bits - 12));
  return std::min(n - 1, std::max<int64_t>(10, wanted));
}

double automatic_edge_width(int64_t n, int64_t features) {
  return features <= 4 ? std::clamp(std::log10(double(n)) / 4 - 0.5, 0.5, 1.0) : 1;
}

std::unique_ptr<SparseAffinity> make_neighbor_graph(const Points& points, const RowSpace& rows, Plan& plan,
                                                    std::shared_ptr<const FittedGraph>* kept) {
  const int64_t n = plan.n, k = plan.options.clusters;
  const bool is_given = plan.options.neighbors.has_value();
  const int64_t first = plan.options.neighbors.value_or(automatic_neighbors(n, points.features)),
                most = std::min(n - 1, 4 * first);
  int64_t each = first;
  Found found = search_with(each, points, rows, kept != nullptr, plan);
  while (!is_given && each < most && share_below(found.components, n / (10 * k), n) > 0.05) {
    each = std::min(most, 2 * each);
    found = {};
    found = search_with(each, points, rows, kept != nullptr, plan);
  }
  plan.options.neighbors = each;
  plan.graph->components = found.components.count();
  plan.graph->speck_points = isolate_small(found.components, n / (50 * k), k, found.graph);
  // With k components, these are the clusters. Otherwise a little regularization keeps outliers from becoming clusters.
  const auto large = std::count_if(found.components.sizes.begin(), found.components.sizes.end(),
                                   [&](int64_t size) { return size >= std::max<int64_t>(2, n / (50 * k)); });
  plan.graph->large_components = large;
  if (!plan.options.regularization) plan.options.regularization = large >= k ? 0 : std::min(1e-4, 1 / double(n));
  const auto entries = int64_t(found.graph.columns.size());
  for (const int64_t of_rank : rows.comm().gather<int64_t>(std::span<const int64_t>(&entries, 1)))
    plan.graph->edges += of_rank;
  plan.graph->edges /= 2;
  if (kept != nullptr) {
    keep_edges(found.graph, found.order, found.kept);
    *kept = std::make_shared<const FittedGraph>(std::move(found.kept));
  }
  return std::make_unique<SparseAffinity>(std::move(found.graph), rows, std::move(found.order));
}

}  // namespace mbsc
