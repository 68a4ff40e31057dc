// SPDX-License-Identifier: Apache-2.0
#include "mbsc/labelling.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mbsc/linalg/reduce.h"

namespace mbsc {

Matrix<float> scale_embedding(const Matrix<float>& vectors, const Normalized<float>& L, EmbeddingScale scale) {
  Matrix<float> scaled = vectors;
  if (scale == EmbeddingScale::none) return scaled;
  const auto roots = L.inverse_root_degrees();
  L.rows().for_each_block([&](int64_t, Range range) {
    for (int64_t i = range.begin; i < range.end; ++i) {
      double factor = double(roots[size_t(i)]);
      if (scale == EmbeddingScale::row) {
        double sum = 0;
        for (int64_t c = 0; c < scaled.cols(); ++c) sum += double(scaled(i, c)) * double(scaled(i, c));
        factor = sum > 0 ? 1 / std::sqrt(sum) : 0;
      }
      for (int64_t c = 0; c < scaled.cols(); ++c) scaled(i, c) = float(factor * double(scaled(i, c)));
    }
  });
  return scaled;
}

std::vector<uint8_t> excluded_rows(const Normalized<float>& L, EmbeddingScale scale) {
  const auto degrees = L.degrees();
  const double tau = L.regularization_added();
  const double sum = sum_over_blocks(L.rows(), 1, [&](int64_t, Range range, std::span<double> out) {
    for (int64_t i = range.begin; i < range.end; ++i) out[0] += degrees[size_t(i)];
  })[0];
  const double least = scale == EmbeddingScale::degree ? 1e-10 * sum / double(L.n()) : 0;
  std::vector<uint8_t> excluded(L.isolated().begin(), L.isolated().end());
  for (size_t i = 0; i < excluded.size(); ++i)
    if (degrees[i] < 1e-6 * tau || degrees[i] + tau < least) excluded[i] = 1;
  return excluded;
}

void label_isolated(const Points& points, const ClusterOptions& options, const RowSpace& rows,
                    std::vector<int32_t>& labels) {
  const int64_t k = options.clusters, d = points.features;
  if (options.affinity == AffinityKind::precomputed) {
    std::vector<int64_t> sizes(static_cast<size_t>(k));
    for (const int32_t label : labels)
      if (label >= 0) ++sizes[size_t(label)];
    const auto largest = int32_t(std::max_element(sizes.begin(), sizes.end()) - sizes.begin());
    std::replace(labels.begin(), labels.end(), -1, largest);
    return;
  }
  // Sums of coordinates and counts of each cluster.
  std::vector<double> means = sum_over_blocks(rows, k * (d + 1), [&](int64_t, Range range, std::span<double> out) {
    for (int64_t i = range.begin; i < range.end; ++i) {
      if (labels[size_t(i)] < 0) continue;
      const auto sum = out.subspan(labels[size_t(i)] * (d + 1), d + 1);
      for (int64_t f = 0; f < d; ++f) sum[f] += points(i, f);
      sum[d] += 1;
    }
  });
  for (int64_t i = 0; i < points.rows; ++i) {
    if (labels[size_t(i)] >= 0) continue;
    double nearest = std::numeric_limits<double>::infinity();
    int32_t label = 0;
    for (int64_t c = 0; c < k; ++c) {
      const double* sum = means.data() + c * (d + 1);
      double distance = 0;
      for (int64_t f = 0; f < d; ++f) distance += std::pow(points(i, f) - sum[f] / sum[d], 2);
      if (distance < nearest) nearest = distance, label = int32_t(c);
    }
    labels[size_t(i)] = label;
  }
}

std::vector<int64_t> order_by_size(std::vector<int32_t>& labels, int64_t clusters) {
  std::vector<int64_t> sizes(static_cast<size_t>(clusters)),
      first(static_cast<size_t>(clusters), std::numeric_limits<int64_t>::max());
  for (size_t i = 0; i < labels.size(); ++i) {
    const auto c = size_t(labels[i]);
    ++sizes[c];
    first[c] = std::min(first[c], int64_t(i));
  }
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
  return sorted;
}

}  // namespace mbsc
