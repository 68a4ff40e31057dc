// SPDX-License-Identifier: Apache-2.0
#include "mbsc/affinity/graph/neighbor_graph.h"

#include <algorithm>
#include <cmath>

#include "mbsc/affinity/graph/components.h"
#include "mbsc/affinity/graph/weights.h"

namespace mbsc {
namespace {

struct Found {
  SparseMatrix graph;          ///< by place
  std::vector<int32_t> order;  ///< the point at each place
  Components components;
};

/// Builds the graph with `each` neighbors per point, and reports on it in the plan.
Found search_with(int64_t each, const Points& points, const RowSpace& rows, Plan& plan) {
  const ClusterOptions& options = plan.options;
  const NeighborSearch search{each, options.recall, options.seed, rows.threads(), options.stop};
  NeighborLists lists = find_neighbors(points, search);
  GraphReport& report = plan.graph.emplace();
  report.recall = lists.recall;
  report.recall_error = lists.recall_error;
  report.distinct_points = lists.distinct;
  report.width = neighbor_width(lists);
  Found found;
  found.graph = weigh_neighbors(lists, options.edge_weights, report.width, false, rows);
  found.order = std::move(lists.order);
  found.components = find_components(found.graph);
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

std::unique_ptr<SparseAffinity> make_neighbor_graph(const Points& points, const RowSpace& rows, Plan& plan) {
  const int64_t n = plan.n, k = plan.options.clusters;
  const bool is_given = plan.options.neighbors.has_value();
  const int64_t first = plan.options.neighbors.value_or(automatic_neighbors(n)), most = std::min(n - 1, 4 * first);
  int64_t each = first;
  Found found = search_with(each, points, rows, plan);
  while (!is_given && each < most && share_below(found.components, n / (10 * k), n) > 0.05) {
    each = std::min(most, 2 * each);
    found = {};
    found = search_with(each, points, rows, plan);
  }
  plan.options.neighbors = each;
  plan.graph->components = found.components.count();
  plan.graph->speck_points = isolate_small(found.components, n / (50 * k), k, found.graph);
  plan.graph->edges = int64_t(found.graph.columns.size()) / 2;
  return std::make_unique<SparseAffinity>(std::move(found.graph), rows, std::move(found.order));
}

}  // namespace mbsc
