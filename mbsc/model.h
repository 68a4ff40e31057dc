// SPDX-License-Identifier: Apache-2.0
// Assigns new points to the clusters of an earlier clustering, by extending the eigenvectors to new points (Bengio et
// al., "Out-of-sample extensions for LLE, Isomap, MDS, eigenmaps, and spectral clustering", 2003).
//
// L w = theta w expresses each entry of w by the others. The same formula, applied to a new point x, defines w(x):
//     z(x) = s(x) [sum_j a(x, x_j) s_j w_j + (tau/n) sum_j s_j w_j],   s(x) = (d(x) + tau)^-1/2,  d(x) = sum_j a(x, x_j)
//     w(x) = z(x) E,                                                   E = diag(1/theta) if w is exact
// If a training point coincides with x, its affinity counts as 0 (if several do, only one of them). On the training points
// z is therefore exactly L W. w(x) is scaled like the rows of k-means and gets the nearest center. There are two
// exceptions. If the degree of x is below tau, w(x) is the mean of its neighbors' rows. If x has no neighbor, it gets the
// cluster with the nearest mean, or for a matrix of affinities the largest cluster.
//
// E is the least-squares solution of Z E = W, where Z = L W are the products of the vectors that were found. For pairs with
// known residuals r it is diag(theta / (theta^2 + r^2)): a pair whose residual exceeds theta is damped, not amplified.
// Otherwise it comes from some rows, half of them drawn uniformly and half by their weight in W.
//
// Cost: a kernel value for each pair of a new point and a training point.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "mbsc/input.h"
#include "mbsc/options.h"
#include "mbsc/result.h"

namespace mbsc {

/// What predict() needs of a clustering. It owns everything except possibly the points, which `owner` keeps alive.
struct Model {
  Points points;  ///< as given, with the shift and scale to apply; a matrix may be dropped after find_extension()
  std::shared_ptr<const void> owner;  ///< of the points; null: the caller keeps them alive
  Input::Kind kind = Input::Kind::points;
  std::vector<uint64_t> row_hashes;  ///< of a matrix of affinities: a hash of each row, rounded to float32
  AffinityKind affinity = AffinityKind::rbf;
  double gamma = 1;  ///< as used
  double regularization = 0.001;
  EmbeddingScale embedding_scale = EmbeddingScale::row;
  std::vector<int32_t> labels;
  std::vector<double> degrees;
  Matrix<float> embedding;         ///< n x k eigenvectors
  Matrix<double> cluster_centers;  ///< k x k
  Matrix<double> extension;        ///< E, of find_extension()
};

/// The model of a clustering of this input. It copies the points.
Model make_model(const Input& input, const Clustering& clustering, const StopToken& stop = {});

/// E. Pairs with recomputed residuals need no kernel values; others take about 1,000 rows.
Matrix<double> find_extension(const Model& model, const EigenPairs<float>& pairs, uint64_t seed, int threads,
                              const StopToken& stop = {});

/// A hash of the values of each row as stored; if `rounded`, of the values rounded to float32.
std::vector<uint64_t> hash_rows(const Points& points, bool rounded, int threads);

struct Prediction {
  std::vector<int32_t> labels;
  Matrix<float> embedding;      ///< rows as k-means would see them
  int64_t isolated_points = 0;  ///< points without a neighbor
};

/// Labels new points. Pass them unscaled: the model's scaling is applied. For a matrix of affinities, the rows are affinities to the
/// training points. Throws InvalidInput, Stopped.
Prediction predict(const Model& model, const Points& points, int threads, const StopToken& stop = {});

}  // namespace mbsc
