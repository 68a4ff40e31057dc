// SPDX-License-Identifier: Apache-2.0
#include "mbsc/flow/landmarks.h"

#include <Eigen/Core>

#include "mbsc/affinity/isolation.h"
#include "mbsc/affinity/landmarks/landmark_factor.h"
#include "mbsc/kmeans/rows.h"
#include "mbsc/linalg/dense.h"
#include "mbsc/linalg/tall.h"

namespace mbsc {
namespace {

/// E: the least-squares solution of (L W) E = W (model.h).
Eigen::MatrixXd find_extension(const Normalized<float>& L, const EigenPairs<float>& pairs, const StopToken& stop) {
  const int64_t k = pairs.vectors.cols();
  if (!pairs.values_are_exact || pairs.residuals.size() != pairs.values.size()) {
    Matrix<float> image(pairs.vectors.rows(), k);
    L.multiply(pairs.vectors, image, stop);
    return least_squares(gram<float>(L.rows(), image, image), gram<float>(L.rows(), image, pairs.vectors));
  }
  Eigen::MatrixXd E = Eigen::MatrixXd::Zero(k, k);
  for (int64_t c = 0; c < k; ++c) {
    const double value = pairs.values[size_t(c)], residual = pairs.residuals[size_t(c)];
    const double square = value * value + residual * residual;
    E(c, c) = square > 0 ? value / square : 0;
  }
  return E;
}

/// The mean of each cluster, without isolated points.
Matrix<double> means_of(const Input& input, const RowSpace& rows, const IsolatedRows& isolated,
                        const Clustering& result) {
  std::vector<int32_t> labels = result.labels;
  for (size_t i = 0; i < labels.size(); ++i)
    if (isolated.flags[i] != 0) labels[i] = -1;
  return cluster_means(input.rows, rows, labels, result.cluster_centers.rows());
}

}  // namespace

std::optional<LandmarkExtension> extend_landmarks(const Input& input, const Affinity<float>& affinity,
                                                  const Normalized<float>& L, const IsolatedRows& isolated,
                                                  const StopToken& stop, const Clustering& result) {
  const LandmarkFactor* factor = affinity.factor();
  if (factor == nullptr || result.status == Status::stopped) return {};
  LandmarkExtension extension;
  extension.landmarks = factor->landmarks;
  extension.degrees = factor->degrees;
  extension.width = factor->width;
  extension.each = factor->each;
  extension.seed = result.plan.options.seed;
  extension.mean_degree = mean_degree(L.rows(), L.degrees());
  extension.means = means_of(input, L.rows(), isolated, result);

  const Eigen::MatrixXd E = find_extension(L, result.pairs, stop);
  const int64_t p = factor->size(), k = result.pairs.vectors.cols();
  Matrix<float> Y(L.rows().local_rows(), k);  // S W E
  multiply<float>(L.rows(), result.pairs.vectors, E, Y);
  const auto roots = L.inverse_root_degrees();
  const std::vector<double> sums = sum_over_blocks(L.rows(), k, [&](int64_t, Range range, std::span<double> out) {
    for (int64_t i = range.begin; i < range.end; ++i)
      for (int64_t c = 0; c < k; ++c) {
        Y(i, c) *= roots[size_t(i)];
        out[size_t(c)] += double(Y(i, c));
      }
  });
  const Matrix<float> means = mean_at_landmarks(L.rows(), *factor, Y);
  extension.vectors = Matrix<float>(p + 1, k);
  std::copy_n(means.data(), means.size(), extension.vectors.data());
  for (int64_t c = 0; c < k; ++c) extension.vectors(p, c) = float(sums[size_t(c)] / double(L.n()));
  return extension;
}

}  // namespace mbsc
