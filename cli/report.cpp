// SPDX-License-Identifier: Apache-2.0
#include "cli/report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "mbsc/base/memory.h"
#include "mbsc/simd_level.h"
#include "mbsc/solvers/krylov_sizes.h"
#include "mbsc/version.h"

namespace mbsc::cli {
namespace {

using nlohmann::ordered_json;

std::string size_text(int64_t bytes) {
  if (bytes >= int64_t{1} << 30) return fmt::format("{:.1f} GiB", double(bytes) / double(1 << 30));
  return fmt::format("{:.0f} MiB", double(bytes) / double(1 << 20));
}

/// The first twelve numbers of a list, and how many there are when that is not all.
template <class T>
std::string some(const std::vector<T>& values, const char* format) {
  std::string text;
  constexpr size_t shown = 12;
  for (size_t i = 0; i < std::min(values.size(), shown); ++i)
    text += (i > 0 ? "  " : "") + fmt::format(fmt::runtime(format), values[i]);
  if (values.size() > shown) text += fmt::format("  ... ({} in all)", values.size());
  return text;
}

/// 1234567 as 1,234,567.
std::string with_commas(int64_t number) {
  std::string text = std::to_string(number);
  for (size_t at = text.size(); at > 3;) text.insert(at -= 3, ",");
  return text;
}

std::string degrees_name(DegreeKind kind) {
  return kind == DegreeKind::exact ? "exact" : kind == DegreeKind::sampled ? "sampled" : "nystrom";
}

std::string degree_quality(const Clustering& c) {
  if (*c.degree_largest_error == 0) return "exact after all columns were seen";
  return fmt::format("typical error {:.2g} %, largest {:.2g} %", 100 * *c.degree_relative_error,
                     100 * *c.degree_largest_error);
}

std::string affinity_name(const ClusterFlags& flags) { return flags.affinity.value_or("rbf"); }

ordered_json number_or_null(double x) { return std::isfinite(x) ? ordered_json(x) : ordered_json(nullptr); }
ordered_json number_or_null(const std::optional<double>& x) { return x ? number_or_null(*x) : ordered_json(nullptr); }

std::string outcome(const Report& r) {
  std::string text = fmt::format("{}: {}, {} iterations, {:.2f} passes", to_string(r.result.method),
                                 to_string(r.result.status), r.result.iterations, r.result.passes);
  if (r.result.batch_size > 0) text += fmt::format(", batches of {}", r.result.batch_size);
  if (r.result.landmarks > 0) text += fmt::format(", {} landmarks", r.result.landmarks);
  return text;
}

}  // namespace

std::string text_report(const Report& r) {
  const Clustering& c = r.result;
  std::string out;
  const auto line = [&](const char* name, const std::string& text) { out += fmt::format("{:<12} {}\n", name, text); };
  line("data", fmt::format("{}: {} points, {} features{}", r.flags.input, r.table.rows, r.table.features,
                           r.table.truth.empty() ? "" : fmt::format(", {} classes", r.table.class_names.size())));
  std::string affinity = affinity_name(r.flags);
  if (std::isfinite(c.gamma))
    affinity += fmt::format(", gamma {:.6g} ({})", c.gamma, r.options.gamma ? "given" : "auto");
  if (r.options.regularization > 0) affinity += fmt::format(", regularization {:g}", r.options.regularization);
  if (r.options.degrees == DegreeKind::nystrom) affinity += ", degrees approximated by nystrom";
  line("affinity", affinity);
  if (c.degree_relative_error)
    line("degrees", fmt::format("sampled from {} columns, {}", with_commas(c.degree_columns), degree_quality(c)));
  if (c.isolated_points > 0)
    line("isolated", fmt::format("{} points without a neighbour that counts, labelled with the nearest cluster",
                                 c.isolated_points));
  line("method", outcome(r));
  line("eigenvalues", some(c.eigenvalues, "{:.4f}") + (c.eigenvalues_are_exact ? "" : "  (estimated)"));
  if (!c.residuals.empty())
    line("residuals", fmt::format("at most {:.1e}, {}", *std::max_element(c.residuals.begin(), c.residuals.end()),
                                  c.residuals_are_bounds ? "bounded by the last product" : "recomputed"));
  if (std::isfinite(c.subspace_error) && c.subspace_error_source != ErrorSource::none)
    line("error", fmt::format("about {:.2g} (rms sine to the exact eigenvectors, {})", c.subspace_error,
                              c.subspace_error_source == ErrorSource::batches ? "from the spread of the batches"
                                                                              : "residuals over the gap"));
  if (c.method == Method::minibatch)
    line("leading",
         c.probe ? fmt::format("no eigenvalue above {:.4f} was missed ({:g} % sure, {} random vectors)",
                               c.probe->bound, 100 * c.probe->confidence, c.probe->vectors)
         : !c.residuals.empty() ? "not probed: a pair that the start has missed may still be missing"
                               : "not probed: pairs that live on points no batch has seen may be missing");
  line("clusters", some(c.cluster_sizes, "{}"));
  if (c.normalized_cut) line("cut", fmt::format("{:.6g} (normalised cut)", *c.normalized_cut));
  if (c.normalized_cut_estimate)
    line("cut", fmt::format("{:.6g} +- {:.2g} (normalised cut, from sampled columns)", *c.normalized_cut_estimate,
                            *c.normalized_cut_standard_error));
  if (r.scores)
    line("scores",
         fmt::format("NMI {:.4f}  ARI {:.4f}  accuracy {:.4f}", r.scores->nmi, r.scores->ari, r.scores->accuracy));
  line("time",
       fmt::format("read {:.2f} s, degrees {:.2f} s, solve {:.2f} s, k-means {:.2f} s, total {:.2f} s on {} threads",
                   r.read_seconds, c.seconds.degrees, c.seconds.solve, c.seconds.kmeans, r.total_seconds, c.threads));
  line("memory", fmt::format("peak {}{}", size_text(peak_memory_bytes()),
                             c.kept_bytes > 0 ? fmt::format(", {} of it kernel values", size_text(c.kept_bytes)) : ""));
  return out;
}

std::string json_report(const Report& r) {
  const Clustering& c = r.result;
  const SolverOptions& s = r.options.solver;
  ordered_json j;
  j["input"] = r.flags.input;
  j["format"] = r.table.format;
  j["n"] = r.table.rows;
  j["d"] = r.table.features;
  j["classes"] = r.table.truth.empty() ? ordered_json(nullptr) : ordered_json(r.table.class_names.size());
  j["clusters"] = r.options.clusters;
  j["label_column"] = r.flags.label_column.empty() ? ordered_json(nullptr) : ordered_json(r.flags.label_column);
  j["scale"] = r.flags.scale;
  j["scale_rows"] = r.flags.scale_rows;
  j["affinity"] = affinity_name(r.flags);
  j["gamma"] = number_or_null(c.gamma);
  j["gamma_rule"] = std::isnan(c.gamma) ? ordered_json(nullptr) : ordered_json(r.options.gamma ? "given" : "auto");
  j["degrees"] = degrees_name(r.options.degrees);
  j["degree_columns"] = c.degree_relative_error ? ordered_json(c.degree_columns) : ordered_json(nullptr);
  j["degree_relative_error"] = number_or_null(c.degree_relative_error);
  j["degree_largest_error"] = number_or_null(c.degree_largest_error);
  j["regularization"] = r.options.regularization;
  j["embedding_scale"] = r.options.embedding_scale == EmbeddingScale::none  ? "none"
                         : r.options.embedding_scale == EmbeddingScale::row ? "row"
                                                                            : "degree";
  j["restarts"] = r.options.restarts;
  j["method"] = to_string(c.method);
  j["preset"] = r.flags.preset ? ordered_json(*r.flags.preset) : ordered_json(nullptr);
  j["limits"] = {{"passes", number_or_null(s.passes)},
                 {"iterations", s.iterations ? ordered_json(*s.iterations) : ordered_json(nullptr)},
                 {"seconds", number_or_null(s.seconds)},
                 {"tolerance", number_or_null(s.tolerance)},
                 {"stall", number_or_null(s.stall)}};
  if (c.method == Method::minibatch && s.step_rule == StepRule::adagrad)
    j["minibatch"] = {{"step_rule", "adagrad"},
                      {"estimator", s.estimator == Estimator::columns ? "columns" : "signed"},
                      {"sampling", s.sampling == Sampling::reshuffle ? "reshuffle" : "independent"},
                      {"batch_size", c.batch_size},
                      {"nonzeros", s.nonzeros},
                      {"probability", number_or_null(s.probability)},
                      {"start", s.start == Start::nystrom ? "nystrom" : "random"},
                      {"guards", c.guards},
                      {"step", s.step > 0 ? s.step : 1 / std::sqrt(double(r.table.rows))},
                      {"epsilon", s.epsilon}};
  if (c.method == Method::minibatch && s.step_rule == StepRule::ritz)
    j["minibatch"] = {{"step_rule", "ritz"},
                      {"columns", s.columns == ColumnChoice::importance ? "importance" : "uniform"},
                      {"batch_size", c.batch_size > 0 ? ordered_json(c.batch_size) : ordered_json("doubling")},
                      {"start", s.start == Start::random ? "random" : c.start_is_graph ? "neighbours" : "nystrom"},
                      {"guards", c.guards},
                      {"control_variate", c.control_variate},
                      {"polish", s.polish}};
  if (c.method == Method::exact) {
    const KrylovSizes sizes = krylov_sizes(r.table.rows, [&] {
      SolverOptions chosen = s;
      chosen.clusters = r.options.clusters;
      return chosen;
    }());
    j["start"] = s.start == Start::nystrom ? "nystrom" : "random";
    j["block_size"] = sizes.block;
    j["basis_size"] = sizes.capacity;
  }
  if (c.method == Method::power || c.method == Method::nystrom)
    j["block_size"] = std::max(s.block_size, r.options.clusters);
  if (c.method == Method::power) j["power_operator"] = s.power_operator == PowerOperator::plain ? "plain" : "shifted";
  if (c.landmarks > 0) j["landmarks"] = c.landmarks;
  j["seed"] = r.options.seed;
  j["threads"] = c.threads;
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
  j["nmi"] = r.scores ? ordered_json(r.scores->nmi) : ordered_json(nullptr);
  j["nmi_geometric"] = r.scores ? ordered_json(r.scores->nmi_geometric) : ordered_json(nullptr);
  j["ari"] = r.scores ? ordered_json(r.scores->ari) : ordered_json(nullptr);
  j["accuracy"] = r.scores ? ordered_json(r.scores->accuracy) : ordered_json(nullptr);
  j["seconds"] = {{"read", r.read_seconds},     {"degrees", c.seconds.degrees}, {"solve", c.seconds.solve},
                  {"kmeans", c.seconds.kmeans}, {"cut", c.seconds.cut},         {"total", r.total_seconds}};
  j["memory_estimate_bytes"] = c.memory_estimate_bytes;
  j["peak_memory_bytes"] = peak_memory_bytes();
  j["kept_bytes"] = c.kept_bytes;
  j["version"] = version;
  return j.dump(2) + "\n";
}

}  // namespace mbsc::cli
