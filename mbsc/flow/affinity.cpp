// SPDX-License-Identifier: Apache-2.0
#include "mbsc/flow/affinity.h"

#include <fmt/format.h>

#include "mbsc/affinity/graph/given_graph.h"
#include "mbsc/affinity/graph/neighbor_graph.h"
#include "mbsc/affinity/landmarks/landmark_graph.h"
#include "mbsc/affinity/make_affinity.h"
#include "mbsc/affinity/scaling.h"

namespace mbsc {
namespace {

/// Replaces the plan by its fallback. Keeps the scaling, which does not depend on the affinity.
void fall_back(Plan& plan) {
  Plan other = *plan.fallback;
  other.shift = std::move(plan.shift);
  other.scale = std::move(plan.scale);
  other.affinity_reason = fmt::format("the neighbor graph has {} large components", plan.graph->large_components);
  plan = std::move(other);
}

std::unique_ptr<Affinity<float>> build_neighbors(const Points& points, const RowSpace& rows, Plan& plan,
                                                 std::shared_ptr<const FittedGraph>& graph) {
  const bool keeps_graph = plan.options.keep_graph && rows.comm().size() == 1;
  auto neighbors = make_neighbor_graph(points, rows, plan, keeps_graph ? &graph : nullptr);
  if (!plan.fallback || plan.graph->large_components <= plan.options.clusters) return neighbors;
  neighbors.reset();
  graph.reset();
  fall_back(plan);
  return make_landmark_graph(points, rows, plan);
}

}  // namespace

std::unique_ptr<Affinity<float>> build_affinity(Input& input, const RowSpace& rows, Plan& plan,
                                                std::shared_ptr<const FittedGraph>& graph) {
  ClusterOptions& options = plan.options;
  if (input.is_graph()) return make_given_graph(input.graph, rows, plan);
  if (!input.is_matrix()) {
    apply_scaling(input.rows, options.scale, options.scale_rows.value_or(0), rows);
    plan.shift = input.rows.shift;
    plan.scale = input.rows.scale;
    if (options.affinity == AffinityKind::neighbors) return build_neighbors(input.rows, rows, plan, graph);
    if (options.affinity == AffinityKind::landmarks) return make_landmark_graph(input.rows, rows, plan);
    const KernelKind kernel = kernel_of(*options.affinity, 1).kind;
    if (!options.gamma && kernel != KernelKind::cosine)
      options.gamma = choose_gamma(input.rows, kernel, options.clusters, options.seed, rows);
  }
  return make_affinity(input, rows, *options.affinity, options.gamma.value_or(1), options.cache);
}

}  // namespace mbsc
