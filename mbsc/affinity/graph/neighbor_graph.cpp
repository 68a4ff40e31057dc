// SPDX-License-Identifier: Apache-2.0
#include "mbsc/affinity/graph/neighbor_graph.h"

#include <algorithm>
#include <cmath>

#include "mbsc/affinity/graph/components.h"
#include "mbsc/affinity/graph/weights.h"

namespace mbsc {
namespace {

struct Found {
  SparseMatrix graph;
  Components components;
  FittedGraph kept;  ///< without edges; empty unless it was asked for
};

/// What new points need to know of the lists.
FittedGraph keep_lists(const NeighborLists& lists, NeighborWeights weights, double width) {
  FittedGraph kept;
  kept.each = lists.each;
  kept.weights = weights;
  kept.width = width;
  for (int64_t i = 0; i < lists.size(); ++i) {
    kept.reach.push_back(lists.of(i).back().distance);
    if (weights == NeighborWeights::local) kept.local.push_back(float(local_square(lists.of(i))));
  }
  if (is_shared(weights)) kept.lists.reserve(lists.points.size());
  if (is_shared(weights))
    for (const NearPoint& near : lists.points) kept.lists.push_back(near.point);
  return kept;
}

/// Builds the graph with `each` neighbors per point, and reports on it in the plan.
Found search_with(int64_t each, const Points& points, const RowSpace& rows, bool keep, Plan& plan) {
  const ClusterOptions& options = plan.options;
  const NeighborSearch search{each, options.recall, options.seed, rows.threads(), options.stop};
  const NeighborLists lists = find_neighbors(points, search);
  GraphReport& report = plan.graph.emplace();
  report.recall = lists.recall;
  report.recall_error = lists.recall_error;
  report.distinct_points = lists.distinct;
  report.width = neighbor_width(lists);
  Found found;
  found.graph = weigh_neighbors(lists, options.edge_weights, report.width, false, rows);
  found.components = find_components(found.graph);
  if (keep) found.kept = keep_lists(lists, options.edge_weights, report.width);
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

int64_t automatic_neighbors(int64_t n) {
  const auto wanted = int64_t(std::lround(2 * std::log2(double(n)))) - 8;
  return std::min(n - 1, std::max<int64_t>(10, wanted));
}

std::unique_ptr<SparseAffinity> make_neighbor_graph(const Points& points, const RowSpace& rows, Plan& plan,
                                                    std::shared_ptr<const FittedGraph>* kept) {
  const int64_t n = plan.n, k = plan.options.clusters;
  const bool is_given = plan.options.neighbors.has_value();
  const int64_t first = plan.options.neighbors.value_or(automatic_neighbors(n)), most = std::min(n - 1, 4 * first);
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
  plan.graph->edges = int64_t(found.graph.columns.size()) / 2;
  if (kept != nullptr) {
    found.kept.starts = found.graph.starts;
    found.kept.columns = found.graph.columns;
    found.kept.values = found.graph.values;
    *kept = std::make_shared<const FittedGraph>(std::move(found.kept));
  }
  return std::make_unique<SparseAffinity>(std::move(found.graph), rows);
}

}  // namespace mbsc
