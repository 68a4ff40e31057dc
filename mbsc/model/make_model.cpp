// SPDX-License-Identifier: Apache-2.0
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

Model make_model(const Input& input, const Clustering& clustering, const StopToken& stop) {
  const ClusterOptions& options = clustering.plan.options;
  const int threads = options.threads.value_or(1);
  Model model;
  model.kind = input.kind;
  model.points = input.rows;
  require(options.affinity != AffinityKind::neighbors, "new points cannot be labeled with affinity = neighbors yet");
  model.affinity = options.affinity.value_or(AffinityKind::rbf);
  model.gamma = options.gamma.value_or(1);
  model.regularization = *options.regularization;
  model.embedding_scale = options.embedding_scale;
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
  model.embedding = clustering.pairs.vectors;
  if (input.is_matrix()) {
    model.row_hashes = hash_rows(input.rows, true, threads);
  } else {
    model.points.shift = clustering.plan.shift;
    model.points.scale = clustering.plan.scale;
    input.rows.type == ScalarType::float32 ? own_rows<float>(model.points, model.owner)
                                           : own_rows<double>(model.points, model.owner);
  }
  model.extension = find_extension(model, clustering.pairs, options.seed, threads, stop);
  if (input.is_matrix()) model.points = {};
  return model;
}

}  // namespace mbsc
