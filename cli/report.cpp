// SPDX-License-Identifier: Apache-2.0
#include "cli/report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "mbsc/summary.h"

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

int64_t largest(const std::vector<int64_t>& values) { return *std::max_element(values.begin(), values.end()); }

/// 1234567 as 1,234,567.
std::string with_commas(int64_t number) {
  std::string text = std::to_string(number);
  for (size_t at = text.size(); at > 3;) text.insert(at -= 3, ",");
  return text;
}

std::string degree_quality(const Clustering& c) {
  if (*c.degree_largest_error == 0) return "exact after all columns were seen";
  return fmt::format("typical error {:.2g} %, largest {:.2g} %", 100 * *c.degree_relative_error,
                     100 * *c.degree_largest_error);
}

std::string affinity_name(const ClusterFlags& flags) { return flags.affinity.value_or("rbf"); }

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
  line("data", fmt::format("{}: {} points, {} features{}", r.flags.input, r.n, r.table.features,
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
    line("isolated", fmt::format("{} points without a neighbor that counts, labeled with the nearest cluster",
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
  if (c.normalized_cut) line("cut", fmt::format("{:.6g} (normalized cut)", *c.normalized_cut));
  if (c.normalized_cut_estimate)
    line("cut", fmt::format("{:.6g} +- {:.2g} (normalized cut, from sampled columns)", *c.normalized_cut_estimate,
                            *c.normalized_cut_standard_error));
  if (r.scores)
    line("scores",
         fmt::format("NMI {:.4f}  ARI {:.4f}  accuracy {:.4f}", r.scores->nmi, r.scores->ari, r.scores->accuracy));
  line("time",
       fmt::format("read {:.2f} s, degrees {:.2f} s, solve {:.2f} s, k-means {:.2f} s, total {:.2f} s on {} threads{}",
                   r.read_seconds, c.seconds.degrees, c.seconds.solve, c.seconds.kmeans, r.total_seconds, c.threads,
                   c.ranks > 1 ? fmt::format(" of each of {} ranks", c.ranks) : ""));
  line("memory", fmt::format("peak {}{}{}", size_text(largest(r.ranks.peak_memory_bytes)),
                             c.ranks > 1 ? " of a rank" : "",
                             c.kept_bytes > 0 ? fmt::format(", {} of it kernel values", size_text(c.kept_bytes)) : ""));
  return out;
}

std::string json_report(const Report& r) {
  ordered_json j;
  j["input"] = r.flags.input;
  j["format"] = r.table.format;
  j["classes"] = r.table.truth.empty() ? ordered_json(nullptr) : ordered_json(r.table.class_names.size());
  j["label_column"] = r.flags.label_column.empty() ? ordered_json(nullptr) : ordered_json(r.flags.label_column);
  j["scale"] = r.flags.scale;
  j["scale_rows"] = r.flags.scale_rows;
  j["preset"] = r.flags.preset ? ordered_json(*r.flags.preset) : ordered_json(nullptr);
  j.update(ordered_json::parse(summary_json(r.n, r.table.features, r.options, r.result)));
  j["nmi"] = r.scores ? ordered_json(r.scores->nmi) : ordered_json(nullptr);
  j["nmi_geometric"] = r.scores ? ordered_json(r.scores->nmi_geometric) : ordered_json(nullptr);
  j["ari"] = r.scores ? ordered_json(r.scores->ari) : ordered_json(nullptr);
  j["accuracy"] = r.scores ? ordered_json(r.scores->accuracy) : ordered_json(nullptr);
  j["peak_memory_bytes"] = largest(r.ranks.peak_memory_bytes);
  if (r.result.ranks > 1)
    j["by_rank"] = {{"peak_memory_bytes", r.ranks.peak_memory_bytes},
                    {"received_bytes", r.ranks.received_bytes},
                    {"received_messages", r.ranks.received_messages}};
  j["seconds"]["read"] = r.read_seconds;
  j["seconds"]["total"] = r.total_seconds;
  return j.dump(2) + "\n";
}

}  // namespace mbsc::cli
