// SPDX-License-Identifier: Apache-2.0
#include "mbsc/affinity/graph/neighbor_graph.h"
#include "mbsc/affinity/graph/query_search.h"
#include "mbsc/base/require.h"
#include "mbsc/linalg/row_balance.h"
#include "mbsc/model.h"

namespace mbsc {
namespace {

/// Copies the rows; `owner` owns the copy, and `points` becomes a view of it.
template <class Value>
void own_rows(Points& points, std::shared_ptr<const void>& owner) {
  auto rows = std::make_shared<std::vector<Value>>(stored_rows<Value>(points, points.features));
  points.data = rows->data();
  points.row_stride = points.features;
  points.feature_stride = 1;
  owner = std::move(rows);
}

}  // namespace

std::shared_ptr<const FittedGraph> find_graph(const Points& points, const ClusterOptions& options,
                                              const StopToken& stop) {
  require(options.neighbors && options.edge_width,
          "find_graph() needs the options of a plan: neighbors and edge_width");
  Plan plan;
  plan.n = points.rows;
  plan.features = points.features;
  plan.options = options;
  plan.options.stop = stop;
  std::shared_ptr<const FittedGraph> graph;
  make_neighbor_graph(points, RowSpace(points.rows, options.threads.value_or(1)), plan, &graph);
  return graph;
}

SearchIndex find_index(const Model& model, double recall, uint64_t seed, int threads, const StopToken& stop) {
  if (!model.graph) return {};
  return make_index(model.points, {model.graph->each, recall, seed, threads, stop, model.graph->metric});
}

Model make_model(const Input& input, const Clustering& clustering, const StopToken& stop) {
  const ClusterOptions& options = clustering.plan.options;
  const int threads = options.threads.value_or(1);
  require(!input.is_graph(), "new points cannot be labeled: the input is a graph, which has no coordinates");
  Model model;
  model.kind = input.kind;
  model.points = input.rows;
  model.affinity = options.affinity.value_or(AffinityKind::rbf);
  model.gamma = options.gamma.value_or(1);
  model.regularization = *options.regularization;
  model.embedding_scale = options.embedding_scale;
  model.assign = options.assign;
  model.cluster_centers = clustering.cluster_centers;
  if (options.affinity == AffinityKind::landmarks) {
    require(clustering.landmarks.has_value(), "a clustering that was stopped has no model for affinity = landmarks");
    model.landmarks = clustering.landmarks;
    model.points = {};
    model.points.shift = clustering.plan.shift;
    model.points.scale = clustering.plan.scale;
    return model;
  }
  model.labels = clustering.labels;
  model.degrees = clustering.degrees.values;
  model.embedding = clustering.pairs.labeled_vectors();
  if (input.is_matrix()) {
    model.row_hashes = hash_rows(input.rows, true, threads);
  } else {
    model.points.shift = clustering.plan.shift;
    model.points.scale = clustering.plan.scale;
    input.rows.type == ScalarType::float32 ? own_rows<float>(model.points, model.owner)
                                           : own_rows<double>(model.points, model.owner);
  }
  if (model.affinity == AffinityKind::neighbors) {
    model.graph = clustering.graph ? clustering.graph : find_graph(model.points, options, stop);
    model.index = find_index(model, options.recall, options.seed, threads, stop);
  }
  model.extension = find_extension(model, clustering.pairs, options.seed, threads, stop);
  if (input.is_matrix()) model.points = {};
  return model;
}

}  // namespace mbsc
