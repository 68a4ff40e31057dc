// SPDX-License-Identifier: Apache-2.0
#include "mbsc/flow/embedding.h"

#include <algorithm>
#include <cmath>

#include "mbsc/affinity/isolation.h"
#include "mbsc/kmeans/rows.h"
#include "mbsc/simd/gemm.h"

namespace mbsc {
namespace {

Matrix<float> scale_rows(const Matrix<float>& vectors, const Normalized<float>& L, EmbeddingScale scale) {
  Matrix<float> scaled = vectors;
  if (scale == EmbeddingScale::none) return scaled;
  const auto roots = L.inverse_root_degrees();
  L.rows().for_each_block([&](int64_t, Range range) {
    for (int64_t i = range.begin; i < range.end; ++i)
      scale_row({scaled.row(i), size_t(scaled.cols())}, scale, double(roots[size_t(i)]));
  });
  return scaled;
}

}  // namespace

Matrix<float> embed(const Matrix<float>& vectors, const Affinity<float>& affinity, const Normalized<float>& L,
                    EmbeddingScale scale, const StopToken& stop) {
  Matrix<float> embedding = scale_rows(vectors, L, scale);
  adopt_neighbors(affinity, L, scale, embedding, stop);
  return embedding;
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
  const size_t k = size_t(embedding.cols()), chunk = 512;  // weak points that are processed together
  // Each row: the row of the embedding, then 1. Rows of weak points are zero.
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
    // For each weak point i, over all points j that are not weak: sum_j a_ij embedding_j, then sum_j a_ij.
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
      if (scale == EmbeddingScale::row) scale_row(row, scale, 1);
    }
  }
}

IsolatedRows find_isolated(const Normalized<float>& L, EmbeddingScale scale) {
  const auto degrees = L.degrees();
  const IsolationRule rule(scale, mean_degree(L.rows(), degrees), L.regularization_added());
  IsolatedRows isolated;
  for (const double degree : degrees) isolated.flags.push_back(rule.is_isolated(degree));
  isolated.count = std::llround(sum_over_blocks(L.rows(), 1, [&](int64_t, Range range, std::span<double> out) {
    for (int64_t i = range.begin; i < range.end; ++i) out[0] += isolated.flags[size_t(i)];
  })[0]);
  return isolated;
}

}  // namespace mbsc
