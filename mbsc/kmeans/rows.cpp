// SPDX-License-Identifier: Apache-2.0
#include "mbsc/kmeans/rows.h"

#include <cmath>
#include <limits>

#include "mbsc/linalg/reduce.h"

namespace mbsc {
namespace {

void scale_to_length_one(std::span<float> row) {
  double sum = 0;
  for (const float x : row) sum += double(x) * double(x);
  const double factor = sum > 0 ? 1 / std::sqrt(sum) : 0;
  for (float& x : row) x = float(factor * double(x));
}

}  // namespace

void scale_row(std::span<float> row, EmbeddingScale scale, double inverse_root_degree) {
  if (scale == EmbeddingScale::row)
    scale_to_length_one(row);
  else if (scale == EmbeddingScale::degree)
    for (float& x : row) x = float(inverse_root_degree * double(x));
}

std::vector<double> cluster_counts(const RowSpace& rows, std::span<const int32_t> labels, int64_t clusters) {
  return sum_over_blocks(rows, clusters, [&](int64_t, Range range, std::span<double> out) {
    for (int64_t i = range.begin; i < range.end; ++i)
      if (labels[size_t(i)] >= 0) ++out[size_t(labels[size_t(i)])];
  });
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

}  // namespace mbsc
