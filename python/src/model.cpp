// SPDX-License-Identifier: Apache-2.0
#include "model.h"

#include <nanobind/stl/string.h>

#include <algorithm>

#include "arrays.h"
#include "mbsc/options/table.h"
#include "mbsc/options/words.h"
#include "options.h"

namespace mbsc::python {
namespace {

template <class T>
std::vector<T> vector_of(nb::handle array) {
  const std::span<const T> values = span_of(nb::cast<DenseVector<T>>(array, false));
  return {values.begin(), values.end()};
}
template <class T>
Matrix<T> matrix_of(nb::handle array) {
  const MatrixView<const T> view = view_of(nb::cast<DenseMatrix<T>>(array, false));
  Matrix<T> matrix(view.rows, view.cols);
  for (int64_t i = 0; i < view.rows; ++i) std::copy_n(view.row(i), view.cols, matrix.row(i));
  return matrix;
}

/// Whether a dictionary has a value with this name that is not None.
bool has(const nb::dict& given, const char* name) { return given.contains(name) && !given[name].is_none(); }

LandmarkExtension extension_of(const nb::dict& given) {
  LandmarkExtension extension;
  extension.landmarks = matrix_of<float>(given["landmarks"]);
  extension.degrees = vector_of<double>(given["landmark_degrees"]);
  extension.vectors = matrix_of<float>(given["landmark_vectors"]);
  extension.means = matrix_of<double>(given["cluster_means"]);
  extension.width = nb::cast<double>(given["width"]);
  extension.each = nb::cast<int64_t>(given["neighbors"]);
  extension.seed = nb::cast<uint64_t>(given["seed"]);
  extension.mean_degree = nb::cast<double>(given["mean_degree"]);
  return extension;
}

/// The graph of a model, from the arrays in its dictionary.
FittedGraph fitted_graph_of(const nb::dict& given) {
  FittedGraph graph;
  graph.each = nb::cast<int64_t>(given["neighbors"]);
  nb::dict kind;
  for (const char* name : {"metric", "edge_weights", "edges"})
    if (given.contains(name)) kind[name] = given[name];
  graph.metric = options_of(kind).metric;
  graph.weights = options_of(kind).edge_weights;
  graph.edges = options_of(kind).edges;
  graph.width = nb::cast<double>(given["width"]);
  graph.starts = vector_of<int64_t>(given["graph_starts"]);
  graph.columns = vector_of<int32_t>(given["graph_columns"]);
  graph.values = vector_of<float>(given["graph_values"]);
  graph.reach = vector_of<float>(given["reach"]);
  if (given.contains("lists")) graph.lists = vector_of<int32_t>(given["lists"]);
  if (given.contains("local")) graph.local = vector_of<float>(given["local"]);
  return graph;
}

}  // namespace

AffinityKind affinity_of(const std::string& name) {
  ClusterOptions options;
  const OptionRow& row = *find_option("affinity");
  row.set(options, parse_option(row, name));
  return *options.affinity;
}

nb::dict landmarks_of(LandmarkExtension& extension) {
  nb::dict parts;
  parts["landmarks"] = to_numpy(std::move(extension.landmarks));
  parts["landmark_degrees"] = to_numpy(std::move(extension.degrees));
  parts["landmark_vectors"] = to_numpy(std::move(extension.vectors));
  parts["cluster_means"] = to_numpy(std::move(extension.means));
  parts["width"] = extension.width;
  parts["neighbors"] = extension.each;
  parts["mean_degree"] = extension.mean_degree;
  return parts;
}

nb::dict parts_of(const std::shared_ptr<const FittedGraph>& graph) {
  nb::dict parts;
  parts["neighbors"] = graph->each;
  parts["metric"] = word_of(words::metrics, graph->metric);
  parts["edge_weights"] = word_of(words::edge_weights, graph->weights);
  parts["edges"] = word_of(words::edge_rules, graph->edges);
  parts["width"] = graph->width;
  parts["graph_starts"] = view_of(graph->starts, graph);
  parts["graph_columns"] = view_of(graph->columns, graph);
  parts["graph_values"] = view_of(graph->values, graph);
  parts["reach"] = view_of(graph->reach, graph);
  if (!graph->lists.empty()) parts["lists"] = view_of(graph->lists, graph);
  if (!graph->local.empty()) parts["local"] = view_of(graph->local, graph);
  return parts;
}

Points scaled_points_of(const nb::dict& given, std::vector<nb::object>& kept) {
  Points points;
  if (has(given, "points")) {
    kept.push_back(nb::borrow(given["points"]));
    points = points_of(nb::cast<AnyMatrix>(given["points"], false));
  }
  if (has(given, "shift")) points.shift = vector_of<double>(given["shift"]);
  if (has(given, "scale")) points.scale = vector_of<double>(given["scale"]);
  return points;
}

Model model_of(const nb::dict& given, std::vector<nb::object>& kept) {
  const auto has = [&](const char* name) { return python::has(given, name); };
  Model model;
  model.points = scaled_points_of(given, kept);
  if (has("row_hashes")) model.row_hashes = vector_of<uint64_t>(given["row_hashes"]);
  model.affinity = affinity_of(nb::cast<std::string>(given["affinity"]));
  model.kind = model.affinity == AffinityKind::precomputed ? Input::Kind::matrix : Input::Kind::points;
  model.gamma = nb::cast<double>(given["gamma"]);
  model.regularization = nb::cast<double>(given["regularization"]);
  nb::dict words;
  for (const char* name : {"embedding_scale", "assign"})
    if (has(name)) words[name] = given[name];
  const ClusterOptions options = options_of(words);
  model.embedding_scale = options.embedding_scale;
  model.assign = options.assign;
  model.cluster_centers = matrix_of<double>(given["cluster_centers"]);
  if (has("landmarks")) {
    model.landmarks = extension_of(given);
    return model;
  }
  model.labels = vector_of<int32_t>(given["labels"]);
  model.degrees = vector_of<double>(given["degrees"]);
  model.embedding = matrix_of<float>(given["embedding"]);
  if (has("extension")) model.extension = matrix_of<double>(given["extension"]);
  if (model.affinity == AffinityKind::neighbors)
    model.graph = std::make_shared<const FittedGraph>(fitted_graph_of(given));
  if (has("firsts")) model.index.firsts = vector_of<int32_t>(given["firsts"]);
  if (has("leaders")) model.index.leaders = vector_of<int32_t>(given["leaders"]);
  if (has("leader_of")) model.index.leader_of = vector_of<int32_t>(given["leader_of"]);
  if (has("probes")) model.index.probes = nb::cast<int64_t>(given["probes"]);
  return model;
}

}  // namespace mbsc::python
