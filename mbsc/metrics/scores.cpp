// SPDX-License-Identifier: Apache-2.0
// All scores come from the contingency table: n_ij is the number of points of class i in cluster j. Only the pairs that
// occur are stored: O(n log n) time and O(n) memory for any number of labels. The accuracy adds the cost of the
// matching. Degenerate cases follow scikit-learn: two labelings with a single cluster each agree perfectly; a single
// cluster carries no information about several classes.
#include "mbsc/metrics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "mbsc/base/require.h"
#include "mbsc/metrics/matching.h"

namespace mbsc {
namespace {

struct Contingency {
  int64_t n = 0;
  std::vector<WeightedPair> cells;  // sorted by class, then cluster
  std::vector<int64_t> classes;     // size of each class
  std::vector<int64_t> clusters;    // size of each cluster
};

/// Renumbers the labels to 0, 1, ... in ascending order and writes them to `numbers`. Returns how often each occurs.
std::vector<int64_t> compress(std::span<const int32_t> labels, std::vector<int32_t>& numbers) {
  std::vector<int32_t> distinct(labels.begin(), labels.end());
  std::sort(distinct.begin(), distinct.end());
  require(distinct.front() >= 0, "labels must be at least 0; got {}", distinct.front());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  std::vector<int64_t> sizes(distinct.size());
  for (const int32_t label : labels) {
    const auto at = std::lower_bound(distinct.begin(), distinct.end(), label) - distinct.begin();
    numbers.push_back(static_cast<int32_t>(at));
    ++sizes[at];
  }
  return sizes;
}

Contingency count_pairs(std::span<const int32_t> truth, std::span<const int32_t> labels) {
  Contingency table;
  table.n = std::ssize(truth);
  std::vector<int32_t> rows, columns;
  table.classes = compress(truth, rows);
  table.clusters = compress(labels, columns);
  std::vector<int64_t> keys(truth.size());
  for (size_t i = 0; i < keys.size(); ++i) keys[i] = int64_t{rows[i]} << 32 | columns[i];
  std::sort(keys.begin(), keys.end());
  for (size_t i = 0; i < keys.size(); ++i) {
    if (i == 0 || keys[i] != keys[i - 1])
      table.cells.push_back({static_cast<int32_t>(keys[i] >> 32), static_cast<int32_t>(keys[i]), 0});
    ++table.cells.back().weight;
  }
  return table;
}

/// H = -sum p log p.
double entropy(std::span<const int64_t> sizes, double n) {
  double sum = 0;
  for (const int64_t size : sizes) {
    const double p = static_cast<double>(size) / n;
    sum -= p * std::log(p);
  }
  return sum;
}

/// I = sum_ij p_ij log(p_ij / (p_i p_j)).
double mutual_information(const Contingency& table) {
  const auto n = static_cast<double>(table.n);
  double sum = 0;
  for (const WeightedPair& cell : table.cells) {
    const auto count = static_cast<double>(cell.weight);
    const auto expected =
        static_cast<double>(table.classes[cell.row]) / n * static_cast<double>(table.clusters[cell.column]);
    sum += count / n * std::log(count / expected);
  }
  return std::max(sum, 0.0);
}

/// ARI = 2 (tp tn - fn fp) / ((tp + fn)(fn + tn) + (tp + fp)(fp + tn)). These count ordered pairs of points: tp share
/// class and cluster, fn only the class, fp only the cluster, tn neither.
double adjusted_rand(const Contingency& table) {
  double together = 0, same_class = 0, same_cluster = 0;
  for (const WeightedPair& cell : table.cells)
    together += static_cast<double>(cell.weight) * static_cast<double>(cell.weight);
  for (const int64_t size : table.classes) same_class += static_cast<double>(size) * static_cast<double>(size);
  for (const int64_t size : table.clusters) same_cluster += static_cast<double>(size) * static_cast<double>(size);
  const auto n = static_cast<double>(table.n);
  const double tp = together - n, fn = same_class - together, fp = same_cluster - together;
  const double tn = n * n - fp - fn - together;
  if (fn == 0 && fp == 0) return 1;
  return 2 * (tp * tn - fn * fp) / ((tp + fn) * (fn + tn) + (tp + fp) * (fp + tn));
}

double matched_share(const Contingency& table) {
  const auto partner = heaviest_matching(static_cast<int32_t>(table.classes.size()),
                                         static_cast<int32_t>(table.clusters.size()), table.cells);
  int64_t matched = 0;
  for (const WeightedPair& cell : table.cells)
    if (partner[cell.row] == cell.column) matched += cell.weight;
  return static_cast<double>(matched) / static_cast<double>(table.n);
}

}  // namespace

Scores score_labels(std::span<const int32_t> truth, std::span<const int32_t> labels) {
  require(!truth.empty() && truth.size() == labels.size(),
          "two labelings must have the same length, at least 1; got {} and {}", truth.size(), labels.size());
  const Contingency table = count_pairs(truth, labels);
  Scores scores;
  scores.ari = adjusted_rand(table);
  scores.accuracy = matched_share(table);
  const double information = mutual_information(table);
  if (table.classes.size() == 1 && table.clusters.size() == 1) {
    scores.nmi = scores.nmi_geometric = 1;
  } else if (information > std::numeric_limits<double>::epsilon()) {
    const double of_classes = entropy(table.classes, static_cast<double>(table.n));
    const double of_clusters = entropy(table.clusters, static_cast<double>(table.n));
    scores.nmi = std::min(1.0, information / ((of_classes + of_clusters) / 2));
    scores.nmi_geometric = std::min(1.0, information / std::sqrt(of_classes * of_clusters));
  }
  return scores;
}

}  // namespace mbsc
