// SPDX-License-Identifier: Apache-2.0
#include "mbsc/report/summary.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "mbsc/base/memory.h"
#include "mbsc/cluster.h"
#include "mbsc/options/table.h"

namespace mbsc {
namespace {

using nlohmann::ordered_json;

ordered_json number_or_null(double x) { return std::isfinite(x) ? ordered_json(x) : ordered_json(nullptr); }
ordered_json number_or_null(const std::optional<double>& x) { return x ? number_or_null(*x) : ordered_json(nullptr); }

ordered_json to_json(const OptionValue& value) {
  struct Convert {
    ordered_json operator()(std::monostate) const { return nullptr; }
    ordered_json operator()(double number) const { return number_or_null(number); }
    ordered_json operator()(bool flag) const { return flag; }
    ordered_json operator()(int64_t number) const { return number; }
    ordered_json operator()(const std::string& word) const { return word; }
  };
  return std::visit(Convert(), value);
}

/// Adds the options that apply to the solver, with the values that were used; null if an option does not apply because
/// of another option. The limits go into the object "limits",
/// the options of the solver into an object named after the method.
void add_settings(const Plan& plan, ordered_json& j) {
  const ClusterOptions& options = plan.options;
  const SolverRow& solver = find_solver(*options.method, options.step_rule);
  for (const OptionRow& row : option_rows()) {
    if (!applies(row, solver)) continue;
    const ordered_json value = meets_condition(row, options) ? to_json(row.get(options)) : ordered_json(nullptr);
    if (row.group == OptionGroup::limits)
      j["limits"][row.name] = value;
    else if (row.group == OptionGroup::solver && row.name != "method")
      j[solver.method][row.name] = value;
    else
      j[row.name] = value;
  }
  j["affinity_reason"] = plan.affinity_reason.empty() ? ordered_json(nullptr) : ordered_json(plan.affinity_reason);
  j["gamma_rule"] = options.gamma ? ordered_json(plan.gamma_is_given ? "given" : "auto") : ordered_json(nullptr);
}

ordered_json to_json(ErrorSource source) {
  if (source == ErrorSource::none) return nullptr;
  return source == ErrorSource::batches ? "batches" : "residuals";
}

ordered_json to_json(const std::optional<Probe>& probe) {
  if (!probe) return nullptr;
  return {{"vectors", probe->vectors},
          {"products", probe->products},
          {"bound", probe->bound},
          {"confidence", probe->confidence}};
}

void add_pairs(const EigenPairs<float>& pairs, ordered_json& j) {
  j["iterations"] = pairs.iterations;
  j["flops"] = pairs.flops;
  j["control_variate_weight"] = pairs.control_variate;
  j["eigenvalues"] = pairs.values;
  j["eigenvalues_are_exact"] = pairs.values_are_exact;
  j["residuals"] = pairs.residuals.empty() ? ordered_json(nullptr) : ordered_json(pairs.residuals);
  j["residuals_are_bounds"] = pairs.residuals_are_bounds;
  const bool has_error = pairs.subspace_error_source != ErrorSource::none;
  j["subspace_error"] = has_error ? number_or_null(pairs.subspace_error) : ordered_json(nullptr);
  j["subspace_error_source"] = to_json(pairs.subspace_error_source);
  j["probe"] = to_json(pairs.probe);
}

void add_degrees(const DegreeReport& degrees, ordered_json& j) {
  j["degree_columns_evaluated"] = degrees.relative_error ? ordered_json(degrees.columns) : ordered_json(nullptr);
  j["degree_relative_error"] = number_or_null(degrees.relative_error);
  j["degree_largest_error"] = number_or_null(degrees.largest_error);
  j["isolated_points"] = degrees.isolated_points;
}

ordered_json graph_json(const Plan& plan) {
  if (!plan.graph) return nullptr;
  const GraphReport& graph = *plan.graph;
  ordered_json j{{"edges", graph.edges}, {"components", graph.components}, {"speck_points", graph.speck_points}};
  if (plan.options.affinity == AffinityKind::neighbors) j["large_components"] = graph.large_components;
  if (plan.options.affinity == AffinityKind::precomputed) {
    j["loops"] = graph.loops;
    return j;
  }
  j["distinct_points"] = graph.distinct_points ? ordered_json(*graph.distinct_points) : ordered_json(nullptr);
  j["width"] = graph.width;
  j["recall"] = graph.recall;
  j["recall_standard_error"] = graph.recall_error;
  return j;
}

void add_cost(const Cost& cost, ordered_json& j) {
  j["columns_evaluated"] = cost.columns_evaluated;
  j["passes"] = cost.passes;
  j["kernel_values"] = cost.kernel_values;
  const Cost::Seconds& s = cost.seconds;
  j["seconds"] = {{"graph", s.graph}, {"degrees", s.degrees}, {"solve", s.solve}, {"kmeans", s.kmeans}, {"cut", s.cut}};
  j["peak_memory_bytes"] = peak_memory_bytes();
  j["cached_bytes"] = cost.cached_bytes;
}

}  // namespace

std::string summary_json(const Clustering& result) {
  const Plan& plan = result.plan;
  ordered_json j;
  j["n"] = plan.n;
  j["d"] = plan.features > 0 ? ordered_json(plan.features) : ordered_json(nullptr);
  add_settings(plan, j);
  j["ranks"] = plan.ranks;
  j["simd"] = simd_level();
  j["status"] = to_string(result.status);
  add_pairs(result.pairs, j);
  j["graph"] = graph_json(plan);
  add_degrees(result.degrees, j);
  j["cluster_sizes"] = result.cluster_sizes;
  j["inertia"] = number_or_null(result.inertia);
  j["normalized_cut"] = number_or_null(result.cut.exact);
  j["normalized_cut_estimate"] = number_or_null(result.cut.estimate);
  j["normalized_cut_standard_error"] = number_or_null(result.cut.standard_error);
  add_cost(result.cost, j);
  j["memory_estimate_bytes"] = plan.memory_bytes;
  j["version"] = version();
  return j.dump();
}

}  // namespace mbsc
