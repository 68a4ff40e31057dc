// SPDX-License-Identifier: Apache-2.0
#include "cli/report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "mbsc/options/words.h"
#include "mbsc/report/summary.h"

namespace mbsc::cli {
namespace {

using nlohmann::ordered_json;

std::string size_text(int64_t bytes) {
  if (bytes >= int64_t{1} << 30) return fmt::format("{:.1f} GiB", double(bytes) / double(1 << 30));
  return fmt::format("{:.0f} MiB", double(bytes) / double(1 << 20));
}

/// The first twelve numbers of a list, and the length of the list if it is longer.
template <class T>
std::string some(const std::vector<T>& values, const char* format) {
  std::string text;
  constexpr size_t shown = 12;
  for (size_t i = 0; i < std::min(values.size(), shown); ++i)
    text += (i > 0 ? "  " : "") + fmt::format(fmt::runtime(format), values[i]);
  if (values.size() > shown) text += fmt::format("  ... ({} in all)", values.size());
  return text;
}

int64_t largest(const std::vector<int64_t>& values) { return *std::max_element(values.begin(), values.end()); }

/// 1234567 as 1,234,567.
std::string with_commas(int64_t number) {
  std::string text = std::to_string(number);
  for (size_t at = text.size(); at > 3;) text.insert(at -= 3, ",");
  return text;
}

std::string describe(const DegreeReport& degrees) {
  const std::string columns = with_commas(degrees.columns);
  if (*degrees.largest_error == 0)
    return fmt::format("sampled from {} columns, exact after all columns were evaluated", columns);
  return fmt::format("sampled from {} columns, typical error {:.2g} %, largest {:.2g} %", columns,
                     100 * *degrees.relative_error, 100 * *degrees.largest_error);
}

std::string describe(const GraphReport& graph) {
  return fmt::format("{} edge{}, {} component{}", with_commas(graph.edges), graph.edges == 1 ? "" : "s",
                     with_commas(graph.components), graph.components == 1 ? "" : "s");
}

/// What the file contains.
std::string describe_data(const Report& r) {
  const Plan& plan = r.result.plan;
  if (r.content.graph) return fmt::format("{} nodes, {}", with_commas(plan.n), describe(*plan.graph));
  const Table& table = r.content.rows.own;
  return fmt::format("{} points, {} features{}", plan.n, table.features,
                     table.truth.empty() ? "" : fmt::format(", {} classes", table.class_names.size()));
}

std::string describe_affinity(const Plan& plan) {
  const ClusterOptions& options = plan.options;
  std::string text = word_of(words::affinities, *options.affinity);
  if (options.affinity == AffinityKind::neighbors)
    text += fmt::format(": the {} nearest of each point, {}, {}{}", *options.neighbors,
                        word_of(words::edge_weights, options.edge_weights),
                        options.edges == EdgeRule::mutual ? "mutual, " : "", describe(*plan.graph));
  if (options.affinity == AffinityKind::landmarks)
    text += fmt::format(": the {} nearest of {} landmarks, {}", *options.neighbors, with_commas(*options.landmarks),
                        describe(*plan.graph));
  if (options.symmetrize) text += ", symmetrize " + word_of(words::symmetrizations, *options.symmetrize);
  if (plan.graph && plan.graph->loops > 0) text += fmt::format(", {} loops ignored", with_commas(plan.graph->loops));
  if (options.gamma) text += fmt::format(", gamma {:.6g} ({})", *options.gamma, plan.gamma_is_given ? "given" : "auto");
  if (*options.regularization > 0) text += fmt::format(", regularization {:g}", *options.regularization);
  if (options.degrees == DegreeKind::nystrom) text += ", degrees approximated by nystrom";
  return text;
}

std::string describe_solver(const Clustering& c) {
  const EigenPairs<float>& pairs = c.pairs;
  std::string text = fmt::format("{}: {}, {} iterations, {:.2f} passes", *c.plan.options.method, to_string(c.status),
                                 pairs.iterations, c.cost.passes);
  if (pairs.batch_size > 0) text += fmt::format(", batches of {}", pairs.batch_size);
  if (pairs.landmarks > 0) text += fmt::format(", {} landmarks", pairs.landmarks);
  return text;
}

std::string describe_probe(const EigenPairs<float>& pairs) {
  if (pairs.probe)
    return fmt::format("no eigenvalue above {:.4f} was missed ({:g} % sure, {} random vectors)", pairs.probe->bound,
                       100 * pairs.probe->confidence, pairs.probe->vectors);
  return pairs.residuals.empty()
             ? "not probed: an eigenvector concentrated on points that were not sampled may be missing"
             : "not probed: an eigenvector that the start lacks may still be missing";
}

/// Collects lines that have a name and a text.
class Lines {
 public:
  void add(const char* name, const std::string& text) { text_ += fmt::format("{:<12} {}\n", name, text); }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

void add_pairs(const Clustering& c, Lines& lines) {
  const EigenPairs<float>& pairs = c.pairs;
  lines.add("method", describe_solver(c));
  lines.add("eigenvalues", some(pairs.values, "{:.4f}") + (pairs.values_are_exact ? "" : "  (estimated)"));
  if (!pairs.residuals.empty())
    lines.add("residuals",
              fmt::format("at most {:.1e}, {}", *std::max_element(pairs.residuals.begin(), pairs.residuals.end()),
                          pairs.residuals_are_bounds ? "upper bounds from the last product" : "recomputed"));
  if (std::isfinite(pairs.subspace_error) && pairs.subspace_error_source != ErrorSource::none)
    lines.add("error",
              fmt::format("about {:.2g} (rms sine to the exact eigenvectors, {})", pairs.subspace_error,
                          pairs.subspace_error_source == ErrorSource::batches ? "from the spread of the batches"
                                                                              : "residuals over the gap"));
  if (*c.plan.options.method == "minibatch") lines.add("leading", describe_probe(pairs));
}

void add_clusters(const Report& r, Lines& lines) {
  const Clustering& c = r.result;
  lines.add("clusters", some(c.cluster_sizes, "{}"));
  if (c.cut.exact) lines.add("cut", fmt::format("{:.6g} (normalized cut)", *c.cut.exact));
  if (c.cut.estimate)
    lines.add("cut", fmt::format("{:.6g} +- {:.2g} (normalized cut, from sampled columns)", *c.cut.estimate,
                                 *c.cut.standard_error));
  if (r.scores)
    lines.add("scores",
              fmt::format("NMI {:.4f}  ARI {:.4f}  accuracy {:.4f}", r.scores->nmi, r.scores->ari, r.scores->accuracy));
}

void add_cost(const Report& r, Lines& lines) {
  const Clustering& c = r.result;
  const Cost::Seconds& s = c.cost.seconds;
  const int ranks = c.plan.ranks;
  lines.add("time",
            fmt::format("read {:.2f} s, {} {:.2f} s, solve {:.2f} s, {} {:.2f} s, total {:.2f} s on {} threads{}",
                        r.read_seconds, c.plan.graph ? "graph" : "degrees", s.graph + s.degrees, s.solve,
                        c.plan.options.assign == Assign::kmeans ? "k-means" : "cluster_qr", s.kmeans, r.total_seconds,
                        *c.plan.options.threads, ranks > 1 ? fmt::format(" of each of {} ranks", ranks) : ""));
  const int64_t cached = c.cost.cached_bytes;
  lines.add("memory",
            fmt::format("peak {}{}{}", size_text(largest(r.ranks.peak_memory_bytes)), ranks > 1 ? " of a rank" : "",
                        cached > 0 ? fmt::format("; {} of cached kernel values", size_text(cached)) : ""));
}

}  // namespace

std::string text_report(const Report& r) {
  const Clustering& c = r.result;
  Lines lines;
  lines.add("data", fmt::format("{}: {}", r.flags.input, describe_data(r)));
  if (c.plan.is_fallback) lines.add("choice", "affinity landmarks instead, because " + c.plan.affinity_reason);
  lines.add("affinity", describe_affinity(c.plan));
  if (c.plan.graph && c.plan.graph->recall_error > 0)
    lines.add("recall", fmt::format("{:.3f} +- {:.3f} of the true neighbors were found", c.plan.graph->recall,
                                    c.plan.graph->recall_error));
  if (c.degrees.relative_error) lines.add("degrees", describe(c.degrees));
  if (c.degrees.isolated_points > 0)
    lines.add("isolated", fmt::format("{} {} were left out of k-means and got the label of the {} cluster",
                                      c.degrees.isolated_points, r.content.graph ? "nodes" : "points",
                                      c.plan.options.affinity == AffinityKind::precomputed ? "largest" : "nearest"));
  add_pairs(c, lines);
  add_clusters(r, lines);
  add_cost(r, lines);
  return lines.text();
}

std::string json_report(const Report& r) {
  ordered_json j;
  j["input"] = r.flags.input;
  const Table& table = r.content.rows.own;
  j["format"] = r.content.graph ? r.content.graph->format : table.format;
  j["classes"] = table.truth.empty() ? ordered_json(nullptr) : ordered_json(table.class_names.size());
  j["label_column"] = r.flags.label_column.empty() ? ordered_json(nullptr) : ordered_json(r.flags.label_column);
  j["preset"] = r.flags.preset ? ordered_json(*r.flags.preset) : ordered_json(nullptr);
  j.update(ordered_json::parse(summary_json(r.result)));
  j["nmi"] = r.scores ? ordered_json(r.scores->nmi) : ordered_json(nullptr);
  j["nmi_geometric"] = r.scores ? ordered_json(r.scores->nmi_geometric) : ordered_json(nullptr);
  j["ari"] = r.scores ? ordered_json(r.scores->ari) : ordered_json(nullptr);
  j["accuracy"] = r.scores ? ordered_json(r.scores->accuracy) : ordered_json(nullptr);
  j["peak_memory_bytes"] = largest(r.ranks.peak_memory_bytes);
  if (r.result.plan.ranks > 1)
    j["by_rank"] = {{"peak_memory_bytes", r.ranks.peak_memory_bytes},
                    {"received_bytes", r.ranks.received_bytes},
                    {"received_messages", r.ranks.received_messages}};
  j["seconds"]["read"] = r.read_seconds;
  j["seconds"]["total"] = r.total_seconds;
  return j.dump(2) + "\n";
}

}  // namespace mbsc::cli
