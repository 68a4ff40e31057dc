// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "mbsc/affinity/isolation.h"
#include "mbsc/affinity/landmarks/landmark_factor.h"
#include "mbsc/affinity/landmarks/landmark_search.h"
#include "mbsc/affinity/scaling.h"
#include "mbsc/base/require.h"
#include "mbsc/kmeans/rows.h"
#include "mbsc/model/kinds.h"

namespace mbsc {
namespace {

void check_sizes(const Model& model, const Points& points) {
  const LandmarkExtension& extension = *model.landmarks;
  const int64_t p = extension.landmarks.rows(), d = extension.landmarks.cols(), k = extension.vectors.cols();
  require(points.features == d, "the points have {} features, the model {}", points.features, d);
  require(std::ssize(extension.degrees) == p && extension.vectors.rows() == p + 1,
          "the model has {} landmarks, but {} degrees and {} rows of vectors", p, extension.degrees.size(),
          extension.vectors.rows());
  require(model.cluster_centers.cols() == k, "the model's centers have {} columns, its vectors {}",
          model.cluster_centers.cols(), k);
  require(extension.means.rows() == model.cluster_centers.rows() && extension.means.cols() == d,
          "the model's means must be {} x {}; got {} x {}", model.cluster_centers.rows(), d, extension.means.rows(),
          extension.means.cols());
  require(extension.each >= 1 && extension.each <= p, "the model joins each point to {} of {} landmarks",
          extension.each, p);
}

/// Writes w(x) to `row` (model.h), and returns d(x). `landmarks` and `squares` are those of x, nearest first.
double extend_row(const LandmarkExtension& extension, const int32_t* landmarks, const float* squares, double tau,
                  std::span<float> row) {
  const int64_t p = extension.landmarks.rows();
  std::vector<double> sums(row.size());
  double degree = 0;
  const bool is_isolated = !(extension.degrees[size_t(landmarks[0])] > 0);
  for (int64_t e = 0; e < extension.each && !is_isolated; ++e) {
    const int32_t r = landmarks[e];
    const double weight = double(landmark_weight(squares[e], extension.width, e == 0));
    if (weight == 0 || !(extension.degrees[size_t(r)] > 0)) continue;
    degree += weight;
    for (size_t c = 0; c < row.size(); ++c) sums[c] += weight * double(extension.vectors(r, int64_t(c)));
  }
  const double s = degree + tau > 0 ? 1 / std::sqrt(degree + tau) : 0, share = degree >= tau ? tau : 0;
  for (size_t c = 0; c < row.size(); ++c)
    row[c] = float(s * (sums[c] + share * double(extension.vectors(p, int64_t(c)))));
  return degree;
}

}  // namespace

Prediction predict_by_landmarks(const Model& model, const Points& points, int threads, const StopToken& stop) {
  check_sizes(model, points);
  check_finite(points, threads);
  const LandmarkExtension& extension = *model.landmarks;
  const LandmarkSearch search(extension.landmarks, extension.seed, threads);
  const NearLandmarks near = search.find(points, extension.each, threads, stop);
  const double tau = model.regularization * extension.mean_degree;
  const IsolationRule rule(model.embedding_scale, extension.mean_degree, tau);
  const int64_t k = extension.vectors.cols();
  Prediction result{std::vector<int32_t>(size_t(points.rows)), Matrix<float>(points.rows, k), 0};
  std::vector<uint8_t> isolated(size_t(points.rows));
  RowSpace(points.rows, threads).for_each_block([&](int64_t, Range range) {
    for (int64_t i = range.begin; i < range.end; ++i) {
      const std::span<float> row(result.embedding.row(i), size_t(k));
      const int64_t first = i * extension.each;
      const double degree = extend_row(extension, near.landmarks.data() + first, near.squares.data() + first, tau, row);
      scale_row(row, model.embedding_scale, degree + tau > 0 ? 1 / std::sqrt(degree + tau) : 0);
      isolated[size_t(i)] = rule.is_isolated(degree);
      result.labels[size_t(i)] =
          isolated[size_t(i)] != 0 ? nearest_mean(points, i, extension.means) : label_of(model, row.data());
    }
  });
  for (const uint8_t flag : isolated) result.isolated_points += flag;
  return result;
}

}  // namespace mbsc
