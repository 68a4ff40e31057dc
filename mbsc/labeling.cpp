// SPDX-License-Identifier: Apache-2.0
#include "mbsc/labeling.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mbsc/linalg/reduce.h"
#include "mbsc/simd/gemm.h"

namespace mbsc {
namespace {

void scale_to_length_one(std::span<float> row) {
  double sum = 0;
  for (const float x : row) sum += double(x) * double(x);
  const double factor = sum > 0 ? 1 / std::sqrt(sum) : 0;
  for (float& x : row) x = float(factor * double(x));
}

/// The points of each cluster, over all ranks.
std::vector<double> cluster_counts(const RowSpace& rows, std::span<const int32_t> labels, int64_t clusters) {
  return sum_over_blocks(rows, clusters, [&](int64_t, Range range, std::span<double> out) {
    for (int64_t i = range.begin; i < range.end; ++i)
      if (labels[size_t(i)] >= 0) ++out[size_t(labels[size_t(i)])];
  });
}

}  // namespace

void scale_row(std::span<float> row, EmbeddingScale scale, double inverse_root_degree) {
  if (scale == EmbeddingScale::row)
    scale_to_length_one(row);
  else if (scale == EmbeddingScale::degree)
    for (float& x : row) x = float(inverse_root_degree * double(x));
}

Matrix<float> scale_embedding(const Matrix<float>& vectors, const Normalized<float>& L, EmbeddingScale scale) {
  Matrix<float> scaled = vectors;
  if (scale == EmbeddingScale::none) return scaled;
  const auto roots = L.inverse_root_degrees();
  L.rows().for_each_block([&](int64_t, Range range) {
    for (int64_t i = range.begin; i < range.end; ++i)
      scale_row({scaled.row(i), size_t(scaled.cols())}, scale, double(roots[size_t(i)]));
  });
  return scaled;
}

void adopt_neighbors(const Affinity<float>& affinity, const Normalized<float>& L, EmbeddingScale scale,
                      Matrix<float>& embedding, const StopToken& stop) {
  const auto degrees = L.degrees();
  const auto is_weak = [&](int64_t i) { return degrees[size_t(i)] < L.regularization_added(); };
  const int64_t own_rows = L.rows().local_rows(), first_row = L.rows().own_rows().begin;
  std::vector<int64_t> weak;
  for (int64_t i = 0; i < own_rows; ++i)
    if (is_weak(i) && degrees[size_t(i)] > 0) weak.push_back(first_row + i);
  weak = L.comm().gather<int64_t>(weak);
  if (weak.empty()) return;
  const size_t k = size_t(embedding.cols()), chunk = 512;  // small blocks of the matrix
  // Rows of the embedding, and 1; zero where they are weak themselves.
  Matrix<float> known(own_rows, int64_t(k + 1));
  for (int64_t i = 0; i < own_rows; ++i) {
    if (is_weak(i)) continue;
    std::copy_n(embedding.row(i), k, known.row(i));
    known(i, int64_t(k)) = 1;
  }
  for (size_t first = 0; first < weak.size() && !L.comm().any(stop.stop_requested()); first += chunk) {
    const std::span<const int64_t> points = std::span(weak).subspan(first, std::min(chunk, weak.size() - first));
    const auto count = int64_t(points.size()), columns = known.cols();
    const auto block = affinity.take_columns(points);
    // For each of the points sum_j a_ij embedding_j, and sum_j a_ij.
    const std::vector<double> sums = sum_over_blocks(
        L.rows(), count * columns,
        [&](int64_t, Range range, std::span<double> out) {
          Matrix<float> values(range.size(), count);
          block->evaluate(range, values);
          simd::gemm<double, float, double>(count, columns, range.size(), 1, {values.data(), 1, count},
                                            {known.row(range.begin), columns, 1}, out.data(), columns);
        },
        double(count) * affinity.cost_of_value());
    for (size_t p = 0; p < points.size(); ++p) {
      const double* sum = sums.data() + p * (k + 1);
      if (!(sum[k] > 0) || !L.rows().own_rows().contains(points[p])) continue;
      const std::span<float> row(embedding.row(points[p] - first_row), k);
      for (size_t c = 0; c < k; ++c) row[c] = float(sum[c] / sum[k]);
      if (scale == EmbeddingScale::row) scale_to_length_one(row);
    }
  }
}

double least_degree(EmbeddingScale scale, double mean_degree) {
  return scale == EmbeddingScale::degree ? 1e-10 * mean_degree : 0;
}

std::vector<uint8_t> excluded_rows(const Normalized<float>& L, EmbeddingScale scale) {
  const auto degrees = L.degrees();
  const double tau = L.regularization_added();
  const double sum = sum_over_blocks(L.rows(), 1, [&](int64_t, Range range, std::span<double> out) {
    for (int64_t i = range.begin; i < range.end; ++i) out[0] += degrees[size_t(i)];
  })[0];
  const double least = least_degree(scale, sum / double(L.n()));
  std::vector<uint8_t> excluded(L.isolated().begin(), L.isolated().end());
  for (size_t i = 0; i < excluded.size(); ++i)
    if (!(degrees[i] > 0) || degrees[i] + tau < least) excluded[i] = 1;
  return excluded;
}

Matrix<double> cluster_means(const Points& points, const RowSpace& rows, std::span<const int32_t> labels,
                             int64_t clusters) {
  const int64_t d = points.features;
  // Sums of coordinates and counts of each cluster.
  const std::vector<double> sums =
      sum_over_blocks(rows, clusters * (d + 1), [&](int64_t, Range range, std::span<double> out) {
        for (int64_t i = range.begin; i < range.end; ++i) {
          if (labels[size_t(i)] < 0) continue;
          const auto sum = out.subspan(labels[size_t(i)] * (d + 1), d + 1);
          for (int64_t f = 0; f < d; ++f) sum[f] += points(i, f);
          sum[d] += 1;
        }
      });
  Matrix<double> means(clusters, d);
  for (int64_t c = 0; c < clusters; ++c)
    for (int64_t f = 0; f < d; ++f) means(c, f) = sums[size_t(c * (d + 1) + f)] / sums[size_t(c * (d + 1) + d)];
  return means;
}

int32_t nearest_mean(const Points& points, int64_t i, MatrixView<const double> means) {
  double nearest = std::numeric_limits<double>::infinity();
  int32_t label = 0;
  for (int64_t c = 0; c < means.rows; ++c) {
    double distance = 0;
    for (int64_t f = 0; f < points.features; ++f) distance += std::pow(points(i, f) - means(c, f), 2);
    if (distance < nearest) nearest = distance, label = int32_t(c);
  }
  return label;
}

void label_isolated(const Points& points, const ClusterOptions& options, const RowSpace& rows,
                    std::vector<int32_t>& labels) {
  const int64_t k = options.clusters;
  if (options.affinity == AffinityKind::precomputed) {
    const std::vector<double> sizes = cluster_counts(rows, labels, k);
    const auto largest = int32_t(std::max_element(sizes.begin(), sizes.end()) - sizes.begin());
    std::replace(labels.begin(), labels.end(), -1, largest);
    return;
  }
  const Matrix<double> means = cluster_means(points, rows, labels, k);
  for (int64_t i = 0; i < points.rows; ++i)
    if (labels[size_t(i)] < 0) labels[size_t(i)] = nearest_mean(points, i, means);
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
