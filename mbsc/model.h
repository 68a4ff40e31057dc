// SPDX-License-Identifier: Apache-2.0
// Assigns new points to the clusters of an earlier clustering, by extending the eigenvectors to new points (Bengio et
// al., "Out-of-sample extensions for LLE, Isomap, MDS, eigenmaps, and spectral clustering", 2003).
//
// L and tau are defined in affinity/normalized.h. W is the n x c matrix of the vectors that were labeled: the k computed
// eigenvectors, or with cutoff = soft c >= k eigenvectors times their weights. w_j is its row for the training point x_j. The equation L u = theta u expresses each entry of an eigenvector u by the others.
// The same formula for a new point x defines the row w(x):
//     z(x) = s(x) [sum_j a(x, x_j) s_j w_j + (tau/n) sum_j s_j w_j],   s(x) = (d(x) + tau)^-1/2,
//     w(x) = z(x) E,                                                   d(x) = sum_j a(x, x_j).
// E is c x c, and E = diag(1/theta) if the eigenvectors are exact. If a training point coincides with x, its affinity
// counts as 0 (if several coincide, only that of one). For the training points, the rows z are therefore exactly L W.
// w(x) is scaled like the rows of the training points, and x gets the label of the nearest center of k-means. With
// assign = cluster_qr, it gets the label of the strongest direction (kmeans/cluster_qr.h). So a training point keeps its
// label if w(x) equals its row, unless it was moved to a cluster that would have been empty. Two kinds of points are
// treated differently. If the degree of x is below tau, the mean of its neighbors' rows replaces w(x). If x has no neighbor, it
// gets the cluster with the nearest mean; if the input is a matrix of affinities, it gets the largest cluster.
//
// E is the least-squares solution of Z E = W with Z = L W. If the residuals r were recomputed, the solution is
// E = diag(theta / (theta^2 + r^2)): a pair whose residual exceeds theta is damped, not amplified. Otherwise E is
// fitted to a sample of rows. Half of them are drawn uniformly, half by their weight in W.
//
// Cost: one kernel value for each pair of a new point and a training point.
//
// If the affinity is a neighbor graph, a(x, x_j) is the weight of the edge between x and x_j, for the m nearest training
// points of x (model/graph_product.h has the exact definition); it is 0 for all others. A point x that coincides with a
// training point has the edges of that point. If all of the m nearest points are isolated, x is isolated, too. If x_j
// would have x in its list, but is not in the list of x, their edge is not known and is missing in d(x). A common factor of all a(x, x_j) cancels if the rows are scaled (embedding_scale row or
// degree) and tau = 0. Cost: a search for the nearest points, and m row updates for each new point. Memory of the model
// beside the points, for n points: the graph, 8 bytes for each stored weight (about 12 m bytes a point), the lists, 4 m
// bytes a point (shared weights only), and 12 bytes a point.
//
// With landmarks (affinity/landmarks/landmark_affinity.h), a(x, x_j) = sum_r b_r(x) b_jr / Dr_r, where b_r(x) are the
// weights of x and its nearest landmarks. So
//     w(x) = s(x) [sum_r b_r(x) y_r + tau y],   y_r = sum_j b_jr s_j w_j E / Dr_r,   y = (1/n) sum_j s_j w_j E,
// and the model consists of the landmarks and y, not of the training points. The affinity of a training point with
// itself counts, as it does in A. If the degree of x is below tau, tau y is left out. A landmark with Dr_r = 0 does not
// count, and a point whose nearest landmark has Dr_r = 0 is isolated, as in the clustering.
// Cost: the search for the nearest landmarks of each new point.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "mbsc/input.h"
#include "mbsc/options.h"
#include "mbsc/result.h"

namespace mbsc {

/// The data of a clustering that predict() needs. The model owns all of it except possibly the points.
struct Model {
  Points points;  ///< not scaled, with the shift and scale to apply; empty for a matrix, once `extension` is known
  std::shared_ptr<const void> owner;  ///< keeps the points alive; null: the caller keeps them alive
  Input::Kind kind = Input::Kind::points;
  std::vector<uint64_t> row_hashes;  ///< for a matrix of affinities: a hash of each row, rounded to float32
  AffinityKind affinity = AffinityKind::rbf;
  double gamma = 1;  ///< as used
  double regularization = 0.001;
  EmbeddingScale embedding_scale = EmbeddingScale::row;
  Assign assign = Assign::kmeans;
  std::vector<int32_t> labels;
  std::vector<double> degrees;
  Matrix<float> embedding;                   ///< n x c, c >= k: EigenPairs::labeled_vectors()
  Matrix<double> cluster_centers;            ///< k x c; for cluster_qr, the directions
  Matrix<double> extension;                  ///< E, from find_extension()
  std::shared_ptr<const FittedGraph> graph;  ///< set if affinity = neighbors
  SearchIndex index;                         ///< of the points, from find_index(); set if affinity = neighbors
  /// Set if affinity = landmarks. Then points, labels, degrees, embedding and extension are empty; only the scaling in
  /// `points` is used.
  std::optional<LandmarkExtension> landmarks;
};

/// Makes the model of a clustering of this input. Copies the points. If affinity = neighbors and the clustering was made
/// without keep_graph, builds the graph once more.
Model make_model(const Input& input, const Clustering& clustering, const StopToken& stop = {});

/// Computes E. If the residuals of `pairs` were recomputed, this needs no kernel values. Otherwise it evaluates the
/// kernel values of about 1,000 rows.
Matrix<double> find_extension(const Model& model, const EigenPairs<float>& pairs, uint64_t seed, int threads,
                              const StopToken& stop = {});

/// Builds the neighbor graph of these points, which is the one that cluster() built, if `options` are those of its plan.
/// A clustering on several ranks has no graph; with this, one rank that has all points can make the model.
std::shared_ptr<const FittedGraph> find_graph(const Points& points, const ClusterOptions& options,
                                              const StopToken& stop = {});

/// Makes the index for the search among the points of a model with a graph. `recall` is the share of the nearest points
/// that the search must find. Other models have an empty index.
SearchIndex find_index(const Model& model, double recall, uint64_t seed, int threads, const StopToken& stop = {});

/// A hash of the stored values of each row. If `rounded`, the values are first rounded to float32.
std::vector<uint64_t> hash_rows(const Points& points, bool rounded, int threads);

struct Prediction {
  std::vector<int32_t> labels;
  Matrix<float> embedding;      ///< rows, scaled as the option embedding_scale says
  int64_t isolated_points = 0;  ///< points without a neighbor
};

/// Labels new points. The points must not be scaled: predict() applies the scaling of the model. If the model was made
/// from a matrix of affinities, the rows are affinities to the training points. Throws InvalidInput or Stopped.
Prediction predict(const Model& model, const Points& points, int threads, const StopToken& stop = {});

}  // namespace mbsc
