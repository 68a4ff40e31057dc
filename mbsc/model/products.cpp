// SPDX-License-Identifier: Apache-2.0
#include "mbsc/model/products.h"

#include <algorithm>
#include <cmath>

#include "mbsc/affinity/isolation.h"
#include "mbsc/affinity/make_affinity.h"
#include "mbsc/base/require.h"
#include "mbsc/model/graph_product.h"

namespace mbsc {

Normalization find_normalization(const Model& model, const RowSpace& space) {
  Normalization found;
  found.mean_degree = mean_degree(space, model.degrees);
  found.tau = model.regularization * found.mean_degree;
  for (const double degree : model.degrees)
    found.s.push_back(degree + found.tau > 0 ? 1 / std::sqrt(degree + found.tau) : 0);
  return found;
}

void check_model(const Model& model, const Points& points) {
  const int64_t n = model.embedding.rows(), k = model.embedding.cols();
  require(std::ssize(model.degrees) == n && std::ssize(model.labels) == n,
          "the model has {} rows of eigenvectors, but {} degrees and {} labels", n, model.degrees.size(),
          model.labels.size());
  require(model.cluster_centers.cols() == k, "the model's centers have {} columns, its eigenvectors {}",
          model.cluster_centers.cols(), k);
  const bool precomputed = model.kind == Input::Kind::matrix;
  const int64_t features = precomputed ? n : model.points.features;
  require(points.features == features, "the points have {} features, the model {}", points.features, features);
  require(precomputed || model.points.rows == n, "the model has {} points, but {} rows of eigenvectors",
          model.points.rows, n);
  require((model.affinity == AffinityKind::neighbors) == (model.graph != nullptr),
          "a model has a graph if and only if its affinity is neighbors");
  if (model.graph) check_graph(*model.graph, model.index, n);
}

void multiply_affinities(const Model& model, const Points& X, const RectangularPairs& pairs, MatrixView<const float> V,
                         MatrixView<double> out, int threads, const StopToken& stop) {
  if (model.graph) return multiply_graph(model, X, pairs, V, out, threads, stop);
  if (model.kind == Input::Kind::points) {
    multiply_between<float>(X, model.points, kernel_of(model.affinity, model.gamma), pairs, V, out, threads, stop);
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

Matrix<double> extended_products(const Model& model, const Points& X, const RectangularPairs& pairs,
                                 const Normalization& norm, int threads, const StopToken& stop) {
  const int64_t n = model.embedding.rows(), k = model.embedding.cols();
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
  multiply_affinities(model, X, pairs, V, Z, threads, stop);
  for (int64_t i = 0; i < Z.rows(); ++i) {
    const double degree = Z(i, k) + norm.tau, s = degree > 0 ? 1 / std::sqrt(degree) : 0;
    for (int64_t c = 0; c < k; ++c) Z(i, c) = s * (Z(i, c) + norm.tau / double(n) * sums[size_t(c)]);
  }
  return Z;
}

}  // namespace mbsc
