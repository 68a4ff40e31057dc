// SPDX-License-Identifier: Apache-2.0
// New points in the clusters of a clustering that was made: the eigenvectors are extended to them as functions
// (Bengio et al., "Out-of-sample extensions for LLE, Isomap, MDS, eigenmaps, and spectral clustering", 2003).
//
// L w = theta w says what an entry of w is in terms of the others, and says it of any point x:
//     z(x) = s(x) [sum_j a(x, x_j) s_j w_j + (tau/n) sum_j s_j w_j],   s(x) = (d(x) + tau)^-1/2,  d(x) = sum_j a(x, x_j)
//     w(x) = z(x) E,                                                   E = diag(1/theta) where w is exact
// A training point that coincides with x counts 0, as in the clustering (one of them where several do), so that on
// the training points z is the product L W. The row w(x) is scaled as k-means saw it and gets the nearest center; where
// the degree is less than the regularization adds, it is the mean of its neighbors' rows; without any neighbor the
// point gets the cluster whose mean is nearest, or with a precomputed affinity the largest.
//
// E is the least-squares answer to Z E = W, with Z = L W the products of the vectors that were found. For pairs with
// known residuals r that is diag(theta / (theta^2 + r^2)): a pair whose theta drowns in its residual is damped, not
// blown up. Otherwise it comes from some rows, drawn uniformly and by their weight in W in equal parts.
//
// Cost: a kernel value for each pair of a new point and a training point.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mbsc/cluster.h"
#include "mbsc/coincidence.h"

namespace mbsc {

/// What predict() needs: the points and the options of a clustering, and views of its results.
struct Model {
  Points points;                         ///< as clustered; of a precomputed affinity only find_extension() needs them
  std::span<const uint64_t> row_hashes;  ///< of a precomputed affinity: hash_rows() of the matrix, rounded
  AffinityKind affinity = AffinityKind::rbf;
  double gamma = 1;  ///< as used
  double regularization = 0.001;
  EmbeddingScale embedding_scale = EmbeddingScale::row;
  std::span<const int32_t> labels;
  std::span<const double> degrees;
  MatrixView<const float> embedding;
  MatrixView<const double> cluster_centers;
  MatrixView<const double> extension;  ///< E, of find_extension()
};

/// E. Pairs with residuals need no kernel value, others 1,000 rows.
Matrix<double> find_extension(const Model& model, std::span<const double> eigenvalues, bool eigenvalues_are_exact,
                              std::span<const double> residuals, uint64_t seed, int threads,
                              const StopToken& stop = {});

struct Prediction {
  std::vector<int32_t> labels;
  Matrix<float> embedding;      ///< rows as k-means would see them
  int64_t isolated_points = 0;  ///< without a neighbor (or one that counts); labeled by distance
};

/// For a precomputed affinity `points` are rows of affinities to the training points. Throws InvalidInput, Stopped.
Prediction predict(const Model& model, const Points& points, int threads, const StopToken& stop = {});

}  // namespace mbsc
