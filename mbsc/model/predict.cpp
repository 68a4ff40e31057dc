// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include "mbsc/affinity/isolation.h"
#include "mbsc/affinity/scaling.h"
#include "mbsc/base/require.h"
#include "mbsc/kmeans/cluster_qr.h"
#include "mbsc/kmeans/rows.h"
#include "mbsc/model/coincidence.h"
#include "mbsc/model/kinds.h"
#include "mbsc/model/products.h"

namespace mbsc {
namespace {

/// Replaces the rows of weak points, whose degree is below tau, as adopt_neighbors() does: by the mean of the rows of
/// their neighbors that are not weak. Weak point p is row rows[p] of X and row places[p] of `embedding`.
void adopt_rows(const Model& model, const Points& X, std::span<const int64_t> rows, std::span<const int64_t> places,
                std::span<const int64_t> partner, const Normalization& norm, int threads, const StopToken& stop,
                Matrix<float>& embedding) {
  if (rows.empty()) return;
  const int64_t n = model.embedding.rows(), k = model.embedding.cols();
  Matrix<float> V(n, k + 1);
  for (int64_t j = 0; j < n; ++j) {
    if (model.degrees[size_t(j)] < norm.tau) continue;
    std::copy_n(model.embedding.row(j), k, V.row(j));
    scale_row({V.row(j), size_t(k)}, model.embedding_scale, norm.s[size_t(j)]);
    V(j, k) = 1;
  }
  std::vector<int64_t> new_place(size_t(embedding.rows()), -1), zero(partner.size(), -1);
  for (size_t p = 0; p < places.size(); ++p) new_place[size_t(places[p])] = int64_t(p);
  for (size_t j = 0; j < partner.size(); ++j)
    if (partner[j] >= 0) zero[j] = new_place[size_t(partner[j])];
  Matrix<double> sums(std::ssize(rows), k + 1);
  multiply_affinities(model, X, {rows, zero}, V, sums, threads, stop);
  for (size_t p = 0; p < places.size(); ++p) {
    const double* sum = sums.row(int64_t(p));
    if (!(sum[k] > 0)) continue;
    const std::span<float> row(embedding.row(places[p]), size_t(k));
    for (int64_t c = 0; c < k; ++c) row[size_t(c)] = float(sum[c] / sum[k]);
    if (model.embedding_scale == EmbeddingScale::row) scale_row(row, EmbeddingScale::row, 1);
  }
}

/// The mean of each cluster in the space of the points. Isolated points do not count.
Matrix<double> means_of(const Model& model, const Normalization& norm, const RowSpace& space) {
  std::vector<int32_t> labels(model.labels.begin(), model.labels.end());
  const IsolationRule rule(model.embedding_scale, norm.mean_degree, norm.tau);
  for (size_t j = 0; j < labels.size(); ++j)
    if (rule.is_isolated(model.degrees[j])) labels[j] = -1;
  return cluster_means(model.points, space, labels, model.cluster_centers.rows());
}

/// Finds the rows of X that are training points.
Coincidence coincidence_of(const Model& model, const Points& X, int threads) {
  if (model.kind == Input::Kind::matrix) return find_coincidence(hash_rows(X, true, threads), model.row_hashes);
  const bool rounded = X.type == ScalarType::float32 || model.points.type == ScalarType::float32;
  return find_coincidence(hash_rows(X, rounded, threads), hash_rows(model.points, rounded, threads));
}

/// The embedding of the new points in Coincidence::distinct, scaled like the rows of the clustering, and whether each of
/// these points is isolated.
struct ExtendedRows {
  Matrix<float> embedding;
  std::vector<uint8_t> isolated;
};

ExtendedRows extend_rows(const Model& model, const Points& X, const Coincidence& found, const Normalization& norm,
                         int threads, const StopToken& stop) {
  const Matrix<double> Z = extended_products(model, X, {found.distinct, found.partner}, norm, threads, stop);
  const int64_t k = model.embedding.cols();
  const IsolationRule rule(model.embedding_scale, norm.mean_degree, norm.tau);
  ExtendedRows rows{Matrix<float>(Z.rows(), k), std::vector<uint8_t>(size_t(Z.rows()))};
  std::vector<int64_t> weak_rows, weak_places;
  for (int64_t i = 0; i < Z.rows(); ++i) {
    for (int64_t c = 0; c < k; ++c) {
      double sum = 0;
      for (int64_t a = 0; a < k; ++a) sum += Z(i, a) * model.extension(a, c);
      rows.embedding(i, c) = float(sum);
    }
    const double degree = Z(i, k), s = degree + norm.tau > 0 ? 1 / std::sqrt(degree + norm.tau) : 0;
    scale_row({rows.embedding.row(i), size_t(k)}, model.embedding_scale, s);
    rows.isolated[size_t(i)] = rule.is_isolated(degree);
    if (rows.isolated[size_t(i)] || degree >= norm.tau) continue;
    weak_rows.push_back(found.distinct[size_t(i)]);
    weak_places.push_back(i);
  }
  adopt_rows(model, X, weak_rows, weak_places, found.partner, norm, threads, stop, rows.embedding);
  return rows;
}

int32_t nearest_center(const float* row, MatrixView<const double> centers) {
  double nearest = std::numeric_limits<double>::infinity();
  int32_t label = 0;
  for (int64_t c = 0; c < centers.rows; ++c) {
    double distance = 0;
    for (int64_t f = 0; f < centers.cols; ++f) distance += std::pow(double(row[f]) - centers(c, f), 2);
    if (distance < nearest) nearest = distance, label = int32_t(c);
  }
  return label;
}

}  // namespace

int32_t label_of(const Model& model, const float* row) {
  return model.assign == Assign::kmeans ? nearest_center(row, model.cluster_centers)
                                        : strongest_direction(row, model.cluster_centers);
}

Prediction predict(const Model& model, const Points& given, int threads, const StopToken& stop) {
  Points points = given;
  points.shift = model.points.shift;
  points.scale = model.points.scale;
  if (model.landmarks) return predict_by_landmarks(model, points, threads, stop);
  return predict_by_points(model, points, threads, stop);
}

Prediction predict_by_points(const Model& model, const Points& points, int threads, const StopToken& stop) {
  check_model(model, points);
  check_finite(points, threads);
  const int64_t k = model.embedding.cols();
  require(model.extension.rows() == k && model.extension.cols() == k, "the extension must be {} x {}; got {} x {}", k,
          k, model.extension.rows(), model.extension.cols());
  const RowSpace training(model.embedding.rows(), threads);
  const Normalization norm = find_normalization(model, training);
  const Coincidence found = coincidence_of(model, points, threads);
  const ExtendedRows rows = extend_rows(model, points, found, norm, threads, stop);

  Prediction result{std::vector<int32_t>(size_t(points.rows)), Matrix<float>(points.rows, k), 0};
  Matrix<double> means;
  for (int64_t i = 0; i < points.rows; ++i) {
    const int64_t place = found.place[size_t(i)];
    std::copy_n(rows.embedding.row(place), k, result.embedding.row(i));
    int32_t& label = result.labels[size_t(i)];
    if (!rows.isolated[size_t(place)]) {
      label = label_of(model, result.embedding.row(i));
      continue;
    }
    ++result.isolated_points;
    if (model.kind == Input::Kind::matrix) continue;  // label 0: labels are ordered by size, so this is the largest
    if (means.empty()) means = means_of(model, norm, training);
    label = nearest_mean(points, i, means);
  }
  return result;
}

}  // namespace mbsc
