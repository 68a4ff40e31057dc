// SPDX-License-Identifier: Apache-2.0
#include "mbsc/affinity/landmarks/landmark_factor.h"

#include <algorithm>
#include <cmath>

#include "mbsc/base/parallel.h"
#include "mbsc/simd/level.h"
#include "mbsc/simd/sparse.h"

namespace mbsc {

float landmark_weight(float square, double width, bool is_nearest) {
  constexpr float least = 1e-30F;
  const auto weight = float(width > 0 ? std::exp(-double(square) / (2 * width * width)) : 1);
  return weight >= least ? weight : is_nearest ? least : 0;
}

Matrix<double> gather_to_landmarks(const RowSpace& rows, const LandmarkFactor& factor, MatrixView<const float> V) {
  const int64_t p = factor.size(), K = factor.each, c = V.cols, blocks = rows.own_blocks().size();
  const int64_t chunks = std::min(blocks, std::clamp<int64_t>(rows.n() / p, 1, 64));
  std::vector<Matrix<double>> sums(static_cast<size_t>(chunks));
  parallel_for(rows.threads(), chunks, [&](int64_t chunk) {
    Matrix<double> sum(p, c);
    const Range range = rows.blocks().rows_of({blocks * chunk / chunks, blocks * (chunk + 1) / chunks});
    for (int64_t i = range.begin; i < range.end; ++i)
      for (int64_t e = i * K; e < (i + 1) * K; ++e) {
        const double weight = factor.weights[size_t(e)];
        if (weight == 0) continue;
        double* to = sum.row(factor.columns[size_t(e)]);
        for (int64_t j = 0; j < c; ++j) to[j] += weight * double(V(i, j));
      }
    sums[size_t(chunk)] = std::move(sum);
  });
  for (size_t chunk = 1; chunk < sums.size(); ++chunk)
    for (int64_t at = 0; at < p * c; ++at) sums[0].data()[at] += sums[chunk].data()[at];
  return std::move(sums[0]);
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
