// SPDX-License-Identifier: Apache-2.0
#include "mbsc/summary.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "mbsc/base/memory.h"
#include "mbsc/option_words.h"
#include "mbsc/simd_level.h"
#include "mbsc/solvers/krylov_sizes.h"
#include "mbsc/version.h"

namespace mbsc {
namespace {

using nlohmann::ordered_json;

ordered_json number_or_null(double x) { return std::isfinite(x) ? ordered_json(x) : ordered_json(nullptr); }
ordered_json number_or_null(const std::optional<double>& x) { return x ? number_or_null(*x) : ordered_json(nullptr); }

void add_method(int64_t n, const ClusterOptions& options, const Clustering& c, ordered_json& j) {
  const SolverOptions& s = options.solver;
  if (c.method == Method::minibatch && s.step_rule == StepRule::adagrad)
    j["minibatch"] = {{"step_rule", "adagrad"},
                      {"estimator", word_of(words::estimators, s.estimator)},
                      {"sampling", word_of(words::samplings, s.sampling)},
                      {"batch_size", c.batch_size},
                      {"nonzeros", s.nonzeros},
                      {"probability", number_or_null(s.probability)},
                      {"start", s.start == Start::nystrom ? "nystrom" : "random"},
                      {"guards", c.guards},
                      {"step", s.step > 0 ? s.step : 1 / std::sqrt(double(n))},
                      {"epsilon", s.epsilon}};
  if (c.method == Method::minibatch && s.step_rule == StepRule::ritz)
    j["minibatch"] = {{"step_rule", "ritz"},
                      {"columns", word_of(words::column_choices, s.columns)},
                      {"batch_size", c.batch_size > 0 ? ordered_json(c.batch_size) : ordered_json("doubling")},
                      {"start", s.start == Start::random ? "random"
                                : c.start_is_graph       ? "neighbors"
                                                         : "nystrom"},
                      {"guards", c.guards},
                      {"control_variate", c.control_variate},
                      {"polish", s.polish}};
  if (c.method == Method::exact) {
    const KrylovSizes sizes = krylov_sizes(n, [&] {
      SolverOptions chosen = s;
      chosen.clusters = options.clusters;
      return chosen;
    }());
    j["start"] = s.start == Start::nystrom ? "nystrom" : "random";
    j["block_size"] = sizes.block;
    j["basis_size"] = sizes.capacity;
  }
  if (c.method == Method::power || c.method == Method::nystrom)
    j["block_size"] = std::max(s.block_size, options.clusters);
  if (c.method == Method::power) j["power_operator"] = word_of(words::operators, s.power_operator);
}

}  // namespace

std::string summary_json(int64_t n, int64_t features, const ClusterOptions& options, const Clustering& c) {
  const SolverOptions& s = options.solver;
  ordered_json j;
  j["n"] = n;
  j["d"] = features;
  j["clusters"] = options.clusters;
  j["affinity"] = word_of(words::affinities, options.affinity);
  j["gamma"] = number_or_null(c.gamma);
  j["gamma_rule"] = std::isnan(c.gamma) ? ordered_json(nullptr) : ordered_json(options.gamma ? "given" : "auto");
  j["degrees"] = word_of(words::degree_kinds, options.degrees);
  j["degree_columns"] = c.degree_relative_error ? ordered_json(c.degree_columns) : ordered_json(nullptr);
  j["degree_relative_error"] = number_or_null(c.degree_relative_error);
  j["degree_largest_error"] = number_or_null(c.degree_largest_error);
  j["regularization"] = options.regularization;
  j["embedding_scale"] = word_of(words::embedding_scales, options.embedding_scale);
  j["restarts"] = options.restarts;
  j["method"] = to_string(c.method);
  j["limits"] = {{"passes", number_or_null(s.passes)},
                 {"iterations", s.iterations ? ordered_json(*s.iterations) : ordered_json(nullptr)},
                 {"seconds", number_or_null(s.seconds)},
                 {"tolerance", number_or_null(s.tolerance)},
                 {"stall", number_or_null(s.stall)}};
  add_method(n, options, c, j);
  if (c.landmarks > 0) j["landmarks"] = c.landmarks;
  j["seed"] = options.seed;
  j["threads"] = c.threads;
  j["ranks"] = c.ranks;
  j["simd"] = simd_level();
  j["status"] = to_string(c.status);
  j["iterations"] = c.iterations;
  j["columns_evaluated"] = c.columns_evaluated;
  j["passes"] = c.passes;
  j["kernel_values"] = c.kernel_values;
  j["flops"] = c.flops;
  j["eigenvalues"] = c.eigenvalues;
  j["eigenvalues_are_exact"] = c.eigenvalues_are_exact;
  j["residuals"] = c.residuals.empty() ? ordered_json(nullptr) : ordered_json(c.residuals);
  j["residuals_are_bounds"] = c.residuals_are_bounds;
  j["subspace_error"] =
      c.subspace_error_source == ErrorSource::none ? ordered_json(nullptr) : number_or_null(c.subspace_error);
  j["subspace_error_source"] = c.subspace_error_source == ErrorSource::batches     ? ordered_json("batches")
                               : c.subspace_error_source == ErrorSource::residuals ? ordered_json("residuals")
                                                                                   : ordered_json(nullptr);
  j["probe"] = c.probe ? ordered_json{{"vectors", c.probe->vectors},
                                      {"products", c.probe->products},
                                      {"bound", c.probe->bound},
                                      {"confidence", c.probe->confidence}}
                       : ordered_json(nullptr);
  j["isolated_points"] = c.isolated_points;
  j["cluster_sizes"] = c.cluster_sizes;
  j["inertia"] = c.inertia;
  j["normalized_cut"] = number_or_null(c.normalized_cut);
  j["normalized_cut_estimate"] = number_or_null(c.normalized_cut_estimate);
  j["normalized_cut_standard_error"] = number_or_null(c.normalized_cut_standard_error);
  j["seconds"] = {
      {"degrees", c.seconds.degrees}, {"solve", c.seconds.solve}, {"kmeans", c.seconds.kmeans}, {"cut", c.seconds.cut}};
  j["memory_estimate_bytes"] = c.memory_estimate_bytes;
  j["peak_memory_bytes"] = peak_memory_bytes();
  j["kept_bytes"] = c.kept_bytes;
  j["version"] = version;
  return j.dump();
}

}  // namespace mbsc
