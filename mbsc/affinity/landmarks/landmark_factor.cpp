// SPDX-License-Identifier: Apache-2.0
#include "mbsc/affinity/landmarks/landmark_factor.h"

#include <algorithm>
#include <cmath>

#include "mbsc/linalg/reduce.h"
#include "mbsc/simd/level.h"
#include "mbsc/simd/sparse.h"

namespace mbsc {

float landmark_weight(float square, double width, bool is_nearest) {
  constexpr float least = 1e-30F;
  const auto weight = float(width > 0 ? std::exp(-double(square) / (2 * width * width)) : 1);
  return weight >= least ? weight : is_nearest ? least : 0;
}

FactorRows gather_factor_rows(const RowSpace& rows, const LandmarkFactor& factor, std::span<const int64_t> points) {
  FactorRows mine;
  for (const int64_t point : points) {
    if (!rows.own_rows().contains(point)) continue;
    const int64_t first = (point - rows.own_rows().begin) * factor.each;
    for (auto e = size_t(first); e < size_t(first + factor.each); ++e) {
      mine.columns.push_back(factor.columns[e]);
      mine.weights.push_back(factor.weights[e]);
    }
  }
  return {rows.comm().gather<int32_t>(mine.columns), rows.comm().gather<float>(mine.weights)};
}

Matrix<double> gather_to_landmarks(const RowSpace& rows, const LandmarkFactor& factor, MatrixView<const float> V) {
  const int64_t p = factor.size(), K = factor.each, c = V.cols;
  constexpr int64_t together = 16;  // blocks whose sums are in memory at the same time
  const auto add_rows = [&](int64_t, Range range, std::span<double> out) {
    for (int64_t i = range.begin; i < range.end; ++i)
      for (int64_t e = i * K; e < (i + 1) * K; ++e) {
        const double weight = factor.weights[size_t(e)];
        if (weight == 0) continue;
        double* to = out.data() + factor.columns[size_t(e)] * c;
        for (int64_t j = 0; j < c; ++j) to[j] += weight * double(V(i, j));
      }
  };
  const std::vector<double> sums = sum_block_by_block(rows, p * c, add_rows, together);
  Matrix<double> out(p, c);
  std::copy(sums.begin(), sums.end(), out.data());
  return out;
}

void spread_to_points(const RowSpace& rows, const LandmarkFactor& factor, MatrixView<const float> T,
                      MatrixView<float> out) {
  simd::choose_level();
  const int64_t K = factor.each;
  rows.for_each_block(
      [&](int64_t, Range range) {
        for (int64_t i = range.begin; i < range.end; ++i)
          simd::sparse_row(factor.weights.data() + i * K, factor.columns.data() + i * K, K, T.data, T.stride, T.cols,
                           out.row(i));
      },
      double(K * T.cols));
}

Matrix<float> mean_at_landmarks(const RowSpace& rows, const LandmarkFactor& factor, MatrixView<const float> V) {
  const Matrix<double> sums = gather_to_landmarks(rows, factor, V);
  Matrix<float> means(sums.rows(), sums.cols());
  for (int64_t r = 0; r < sums.rows(); ++r)
    for (int64_t j = 0; j < sums.cols() && factor.degrees[size_t(r)] > 0; ++j)
      means(r, j) = float(sums(r, j) / factor.degrees[size_t(r)]);
  return means;
}

}  // namespace mbsc
