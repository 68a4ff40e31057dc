// SPDX-License-Identifier: Apache-2.0
#include "mbsc/predict.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mbsc/affinity/rectangular_product.h"
#include "mbsc/base/random.h"
#include "mbsc/base/require.h"
#include "mbsc/labeling.h"
#include "mbsc/linalg/reduce.h"

namespace mbsc {
namespace {

constexpr double sampled_rows = 1000;

/// What the clustering's operator is made of, beside the affinities.
struct Normalization {
  double mean_degree = 0, tau = 0;
  std::vector<double> s;  ///< (d_j + tau)^-1/2
};

Normalization find_normalization(const Model& model, const RowSpace& space) {
  Normalization found;
  const double sum = sum_over_blocks(space, 1, [&](int64_t, Range range, std::span<double> out) {
    for (int64_t j = range.begin; j < range.end; ++j) out[0] += model.degrees[size_t(j)];
  })[0];
  found.mean_degree = sum / double(space.n());
  found.tau = model.regularization * found.mean_degree;
  for (const double degree : model.degrees)
    found.s.push_back(degree + found.tau > 0 ? 1 / std::sqrt(degree + found.tau) : 0);
  return found;
}

void check(const Model& model, const Points& points) {
  const int64_t n = model.embedding.rows, k = model.embedding.cols;
  require(std::ssize(model.degrees) == n && std::ssize(model.labels) == n,
          "the model has {} rows of eigenvectors, but {} degrees and {} labels", n, model.degrees.size(),
          model.labels.size());
  require(model.cluster_centers.cols == k, "the model's centers have {} columns, its eigenvectors {}",
          model.cluster_centers.cols, k);
  const bool precomputed = model.affinity == AffinityKind::precomputed;
  const int64_t features = precomputed ? n : model.points.features;
  require(points.features == features, "the points have {} features, the model {}", points.features, features);
  require(precomputed || model.points.rows == n, "the model has {} points, but {} rows of eigenvectors",
          model.points.rows, n);
}

Kernel kernel_of(const Model& model) {
  if (model.affinity == AffinityKind::cosine) return {KernelKind::cosine, 1};
  return {model.affinity == AffinityKind::exponential ? KernelKind::exponential : KernelKind::rbf, model.gamma};
}

/// out = the affinities of some rows of X to the training points, times V.
void multiply(const Model& model, const Points& X, const RectangularPairs& pairs, MatrixView<const float> V,
              MatrixView<double> out, int threads, const StopToken& stop) {
  if (model.affinity != AffinityKind::precomputed) {
    multiply_between<float>(X, model.points, kernel_of(model), pairs, V, out, threads, stop);
    return;
  }
  RowSpace(out.rows, threads)
      .for_each_block(
          [&](int64_t, Range range) {
            if (stop.stop_requested()) return;
            for (int64_t i = range.begin; i < range.end; ++i) {
              std::fill_n(out.row(i), out.cols, 0.0);
              for (int64_t j = 0; j < V.rows; ++j) {
                const double a = pairs.zero[size_t(j)] == i ? 0 : X.raw(pairs.rows[size_t(i)], j);
                for (int64_t c = 0; c < out.cols; ++c) out(i, c) += a * double(V(j, c));
              }
            }
          },
          double(V.rows * V.cols));
  if (stop.stop_requested()) throw Stopped();
}

/// Rows z(x), and in the last column d(x).
Matrix<double> products(const Model& model, const Points& X, const RectangularPairs& pairs, const Normalization& norm,
                        int threads, const StopToken& stop) {
  const int64_t n = model.embedding.rows, k = model.embedding.cols;
  const RowSpace space(n, threads);
  Matrix<float> V(n, k + 1);
  const std::vector<double> sums = sum_over_blocks(space, k, [&](int64_t, Range range, std::span<double> out) {
    for (int64_t j = range.begin; j < range.end; ++j) {
      for (int64_t c = 0; c < k; ++c) {
        V(j, c) = float(norm.s[size_t(j)] * double(model.embedding(j, c)));
        out[size_t(c)] += double(V(j, c));
      }
      V(j, k) = 1;
    }
  });
  Matrix<double> Z(std::ssize(pairs.rows), k + 1);
  multiply(model, X, pairs, V, Z, threads, stop);
  for (int64_t i = 0; i < Z.rows(); ++i) {
    const double degree = Z(i, k) + norm.tau, s = degree > 0 ? 1 / std::sqrt(degree) : 0;
    for (int64_t c = 0; c < k; ++c) Z(i, c) = s * (Z(i, c) + norm.tau / double(n) * sums[size_t(c)]);
  }
  return Z;
}

/// Rows to learn E from, and their weights: row i with probability m/2 (1/n + |w_i|^2 / k), so that a vector that
/// lives on few points is seen.
struct WeightedRows {
  std::vector<int64_t> rows;
  std::vector<double> weights;
};

WeightedRows draw_rows(MatrixView<const float> W, uint64_t seed) {
  const Random random(seed, Stream::extension);
  WeightedRows drawn;
  for (int64_t i = 0; i < W.rows; ++i) {
    double square = 0;
    for (int64_t c = 0; c < W.cols; ++c) square += double(W(i, c)) * double(W(i, c));
    const double probability = sampled_rows / 2 * (1 / double(W.rows) + square / double(W.cols));
    if (double(W.rows) > sampled_rows && random.uniform(uint64_t(i)) >= probability) continue;
    drawn.rows.push_back(i);
    drawn.weights.push_back(double(W.rows) > sampled_rows ? 1 / std::min(1.0, probability) : 1);
  }
  return drawn;
}

Matrix<double> diagonal_extension(std::span<const double> values, std::span<const double> residuals) {
  Matrix<double> E(std::ssize(values), std::ssize(values));
  for (size_t c = 0; c < values.size(); ++c) {
    const double square = values[c] * values[c] + residuals[c] * residuals[c];
    E(int64_t(c), int64_t(c)) = square > 0 ? values[c] / square : 0;
  }
  return E;
}

/// Where the degree of a point is less than the regularization adds: the mean of its neighbors' rows, without
/// neighbors of the same sort, as adopt_neighbors() does it.
void adopt_rows(const Model& model, const Points& X, std::span<const int64_t> rows, std::span<const int64_t> places,
                std::span<const int64_t> partner, const Normalization& norm, int threads, const StopToken& stop,
                Matrix<float>& embedding) {
  if (rows.empty()) return;
  const int64_t n = model.embedding.rows, k = model.embedding.cols;
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
  multiply(model, X, {rows, zero}, V, sums, threads, stop);
  for (size_t p = 0; p < places.size(); ++p) {
    const double* sum = sums.row(int64_t(p));
    if (!(sum[k] > 0)) continue;
    const std::span<float> row(embedding.row(places[p]), size_t(k));
    for (int64_t c = 0; c < k; ++c) row[size_t(c)] = float(sum[c] / sum[k]);
    if (model.embedding_scale == EmbeddingScale::row) scale_row(row, EmbeddingScale::row, 1);
  }
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

/// The means of the clusters in the space of the points, without points that had no neighbor.
Matrix<double> means_of(const Model& model, const Normalization& norm, const RowSpace& space) {
  std::vector<int32_t> labels(model.labels.begin(), model.labels.end());
  const double least = least_degree(model.embedding_scale, norm.mean_degree);
  for (size_t j = 0; j < labels.size(); ++j)
    if (!(model.degrees[j] > 0) || model.degrees[j] + norm.tau < least) labels[j] = -1;
  return cluster_means(model.points, space, labels, model.cluster_centers.rows);
}

/// The rows of X that are training points.
Coincidence coincidence_of(const Model& model, const Points& X, int threads) {
  if (model.affinity == AffinityKind::precomputed)
    return find_coincidence(hash_rows(X, true, threads), model.row_hashes);
  const bool rounded = X.type == ScalarType::float32 || model.points.type == ScalarType::float32;
  return find_coincidence(hash_rows(X, rounded, threads), hash_rows(model.points, rounded, threads));
}

/// The distinct new points in the space that k-means saw.
struct ExtendedRows {
  Matrix<float> embedding;
  std::vector<uint8_t> isolated;
};

ExtendedRows extend_rows(const Model& model, const Points& X, const Coincidence& found, const Normalization& norm,
                         int threads, const StopToken& stop) {
  const Matrix<double> Z = products(model, X, {found.distinct, found.partner}, norm, threads, stop);
  const int64_t k = model.embedding.cols;
  const double least = least_degree(model.embedding_scale, norm.mean_degree);
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
    rows.isolated[size_t(i)] = !(degree > 0) || degree + norm.tau < least;
    if (rows.isolated[size_t(i)] || degree >= norm.tau) continue;
    weak_rows.push_back(found.distinct[size_t(i)]);
    weak_places.push_back(i);
  }
  adopt_rows(model, X, weak_rows, weak_places, found.partner, norm, threads, stop, rows.embedding);
  return rows;
}

}  // namespace

Matrix<double> find_extension(const Model& model, std::span<const double> eigenvalues, bool eigenvalues_are_exact,
                              std::span<const double> residuals, uint64_t seed, int threads, const StopToken& stop) {
  check(model, model.points);
  if (eigenvalues_are_exact && residuals.size() == eigenvalues.size())
    return diagonal_extension(eigenvalues, residuals);
  const int64_t n = model.embedding.rows, k = model.embedding.cols;
  const WeightedRows drawn = draw_rows(model.embedding, seed);
  std::vector<int64_t> zero(size_t(n), -1);
  for (size_t p = 0; p < drawn.rows.size(); ++p) zero[size_t(drawn.rows[p])] = int64_t(p);
  const Normalization norm = find_normalization(model, RowSpace(n, threads));
  const Matrix<double> Z = products(model, model.points, {drawn.rows, zero}, norm, threads, stop);
  Eigen::MatrixXd ZZ = Eigen::MatrixXd::Zero(k, k), ZW = Eigen::MatrixXd::Zero(k, k);
  for (size_t p = 0; p < drawn.rows.size(); ++p)
    for (int64_t a = 0; a < k; ++a)
      for (int64_t b = 0; b < k; ++b) {
        const double z = drawn.weights[p] * Z(int64_t(p), a);
        ZZ(a, b) += z * Z(int64_t(p), b);
        ZW(a, b) += z * double(model.embedding(drawn.rows[p], b));
      }
  ZZ.diagonal().array() += 1e-12 * ZZ.trace() + std::numeric_limits<double>::min();
  const Eigen::MatrixXd solved = ZZ.ldlt().solve(ZW);
  Matrix<double> E(k, k);
  for (int64_t a = 0; a < k; ++a)
    for (int64_t b = 0; b < k; ++b) E(a, b) = solved(a, b);
  return E;
}

Prediction predict(const Model& model, const Points& points, int threads, const StopToken& stop) {
  check(model, points);
  check_finite(points, threads);
  const int64_t k = model.embedding.cols;
  require(model.extension.rows == k && model.extension.cols == k, "the extension must be {} x {}; got {} x {}", k, k,
          model.extension.rows, model.extension.cols);
  const RowSpace training(model.embedding.rows, threads);
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
      label = nearest_center(result.embedding.row(i), model.cluster_centers);
      continue;
    }
    ++result.isolated_points;
    if (model.affinity == AffinityKind::precomputed) continue;  // labels go by size: 0 is the largest
    if (means.empty()) means = means_of(model, norm, training);
    label = nearest_mean(points, i, means);
  }
  return result;
}

}  // namespace mbsc
