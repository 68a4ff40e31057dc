// SPDX-License-Identifier: Apache-2.0
#include "mbsc/flow/labels.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "mbsc/kmeans/cluster_qr.h"
#include "mbsc/kmeans/kmeans.h"
#include "mbsc/kmeans/rows.h"

namespace mbsc {
namespace {

void label_isolated(const Input& input, const RowSpace& rows, int64_t clusters, std::vector<int32_t>& labels) {
  if (!input.is_points()) {
    const std::vector<double> sizes = cluster_counts(rows, labels, clusters);
    const auto largest = int32_t(std::max_element(sizes.begin(), sizes.end()) - sizes.begin());
    std::replace(labels.begin(), labels.end(), -1, largest);
    return;
  }
  const Matrix<double> means = cluster_means(input.rows, rows, labels, clusters);
  for (int64_t i = 0; i < input.rows.rows; ++i)
    if (labels[size_t(i)] < 0) labels[size_t(i)] = nearest_mean(input.rows, i, means);
}

void label_by_kmeans(const RowSpace& rows, const Matrix<float>& embedding, const IsolatedRows& isolated,
                     const ClusterOptions& options, const StopToken& stop, Clustering& result) {
  const bool is_stopped = result.status == Status::stopped;
  KMeansOptions kmeans_options;
  kmeans_options.clusters = options.clusters;
  kmeans_options.restarts = is_stopped ? 1 : int(options.restarts);
  kmeans_options.seed = options.seed;
  KMeansResult found = kmeans<float>(rows, embedding, isolated.flags, kmeans_options, is_stopped ? StopToken() : stop);
  result.inertia = found.inertia;
  result.labels = std::move(found.labels);
  result.cluster_centers = std::move(found.centers);
}

}  // namespace

void label_rows(const Input& input, const RowSpace& rows, const Matrix<float>& embedding, const IsolatedRows& isolated,
                const ClusterOptions& options, const StopToken& stop, Clustering& result) {
  if (options.assign == Assign::kmeans) {
    label_by_kmeans(rows, embedding, isolated, options, stop, result);
  } else {
    ClusterQrResult found = cluster_qr(rows, embedding, isolated.flags);
    result.inertia = std::numeric_limits<double>::quiet_NaN();
    result.labels = std::move(found.labels);
    result.cluster_centers = std::move(found.directions);
  }
  if (isolated.count > 0) label_isolated(input, rows, options.clusters, result.labels);
  result.cluster_sizes = order_by_size(rows, result.labels, result.cluster_centers);
}

std::vector<int64_t> order_by_size(const RowSpace& rows, std::vector<int32_t>& labels, Matrix<double>& centers) {
  const int64_t clusters = centers.rows();
  const std::vector<double> counts = cluster_counts(rows, labels, clusters);
  const std::vector<int64_t> sizes(counts.begin(), counts.end());
  std::vector<int64_t> first(static_cast<size_t>(clusters), std::numeric_limits<int64_t>::max());
  for (size_t i = labels.size(); i-- > 0;) first[size_t(labels[i])] = rows.own_rows().begin + int64_t(i);
  const std::vector<int64_t> everybody = rows.comm().gather<int64_t>(first);
  for (size_t i = 0; i < everybody.size(); ++i)
    first[i % size_t(clusters)] = std::min(first[i % size_t(clusters)], everybody[i]);
  std::vector<int32_t> order(static_cast<size_t>(clusters)), rank(static_cast<size_t>(clusters));
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    return sizes[size_t(a)] != sizes[size_t(b)] ? sizes[size_t(a)] > sizes[size_t(b)]
                                                : first[size_t(a)] < first[size_t(b)];
  });
  for (size_t r = 0; r < order.size(); ++r) rank[size_t(order[r])] = int32_t(r);
  for (int32_t& label : labels) label = rank[size_t(label)];
  std::vector<int64_t> sorted;
  for (const int32_t c : order) sorted.push_back(sizes[size_t(c)]);
  const Matrix<double> before = centers;
  for (size_t r = 0; r < order.size(); ++r) std::copy_n(before.row(order[r]), before.cols(), centers.row(int64_t(r)));
  return sorted;
}

}  // namespace mbsc
