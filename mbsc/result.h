// SPDX-License-Identifier: Apache-2.0
// The result of a clustering, as plain nested structs.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mbsc/comm.h"
#include "mbsc/input.h"
#include "mbsc/options.h"

namespace mbsc {

enum class Status {
  converged,   ///< the recomputed residuals are within the tolerance
  finished,    ///< the work that was asked for is done; there was no tolerance
  budget,      ///< a limit was reached before the tolerance
  stalled,     ///< no further progress (rounding, or steps below `stall`); the tolerance is not reached
  unresolved,  ///< the gap after the k-th eigenvalue is too small for the accuracy that was reached
  stopped,     ///< ended on request
};
std::string to_string(Status status);

/// Statistics of a graph. A given graph has only edges, components, speck points and loops. A landmark graph has no loops and no distinct points.
struct GraphReport {
  int64_t edges = 0;                       ///< number of undirected edges
  int64_t components = 0;                  ///< number of connected components
  int64_t large_components = 0;            ///< neighbor graph: components that are large enough to be a cluster
  int64_t speck_points = 0;                ///< points in tiny components; they count as isolated
  int64_t loops = 0;                       ///< given graph: entries on the diagonal, which are ignored
  std::optional<int64_t> distinct_points;  ///< number of points; equal points count once; unset for landmarks
  double width = 0;         ///< width of the Gaussian weights (edge_width times the mean distance of neighbors)
  double recall = 1;        ///< share of true neighbors that were found, measured on a sample
  double recall_error = 0;  ///< standard error of `recall`
};

/// All automatic values of a run. Before any work, resolve() decides those that depend only on the options and the
/// shape of the input. Values that depend on the data are added by the stage that finds them: gamma, the number of
/// neighbors, the regularization of a neighbor graph, landmarks, the start; after a fallback, also the affinity and the
/// method.
struct Plan {
  int64_t n = 0;
  int64_t features = 0;  ///< 0 for a graph
  int ranks = 1;
  ClusterOptions options;       ///< as given, with the automatic values filled in
  std::string affinity_reason;  ///< why this affinity was chosen: "there are ..."; empty if it was given
  /// Set if neighbors was chosen and landmarks would do: used if the neighbor graph has more than k large components.
  std::shared_ptr<const Plan> fallback;
  bool is_fallback = false;  ///< this plan was the fallback of another
  bool gamma_is_given = false;
  std::vector<double> shift, scale;  ///< of each feature, computed for the option `scale`; empty: not scaled
  std::optional<GraphReport> graph;  ///< set if the affinity is a graph
  int64_t memory_bytes = 0;          ///< estimated upper bound of the memory of a rank, without its points
};

/// An upper bound for eigenvalues that the solver may have missed. It is needed because a small residual proves that a
/// pair is close to an eigenpair, but not that it is a leading one.
struct Probe {
  int64_t vectors = 0;    ///< number of random vectors
  int64_t products = 0;   ///< full products applied to each vector
  double bound = 1;       ///< no missed eigenvalue is larger than this, with probability `confidence`
  double confidence = 0;  ///< 0.99 after a probe
};

/// How the subspace error was estimated.
enum class ErrorSource {
  none,
  batches,   ///< from the spread of the batches
  residuals  ///< residuals divided by the gap to the next Ritz value (Davis, Kahan)
};

/// One line of a solver's history.
struct TraceEntry {
  int64_t iteration = 0;
  double passes = 0;
  double objective = 0;
  double seconds = 0;
};

/// Eigenvectors with weights (solvers/chebyshev/soft_cutoff.h).
template <class T>
struct WeightedPairs {
  Matrix<T> vectors;              ///< own rows x c, c >= k: each column is an eigenvector times its weight
  std::vector<double> weights;    ///< of the columns: at most 1, not increasing
  std::vector<double> values;     ///< eigenvalues of L
  std::vector<double> residuals;  ///< of the eigenvectors without their weights
};

template <class T>
struct EigenPairs {
  std::vector<double> values;     ///< k eigenvalues of L, descending
  bool values_are_exact = false;  ///< true: `values` are Rayleigh quotients of `vectors`; false: estimates
  Matrix<T> vectors;              ///< own rows x k, orthonormal columns
  Matrix<T> block;                ///< own rows x k', k' >= k: the whole block of the solver, if keep_block is set
  std::optional<WeightedPairs<T>> weighted;  ///< set if cutoff = soft
  std::vector<double> residuals;             ///< one per pair: recomputed, or bounds; empty if no full product was made
  bool residuals_are_bounds = false;         ///< true: `residuals` are upper bounds, derived from the last full product
  double subspace_error = std::numeric_limits<double>::quiet_NaN();  ///< estimated rms sine to the exact vectors
  ErrorSource subspace_error_source = ErrorSource::none;
  std::optional<Probe> probe;
  Status status = Status::finished;
  int64_t iterations = 0;
  int64_t columns_evaluated = 0;  ///< a full product counts n
  int64_t full_products = 0;
  double flops = 0;  ///< by the paper's formulas (docs/methods.md)
  double seconds = 0;
  std::vector<TraceEntry> trace;
  int64_t batch_size = 0;       ///< as used; 0 if the size of batches grows, or if there are no batches
  int64_t landmarks = 0;        ///< as used
  int64_t guards = 0;           ///< as used
  double control_variate = 0;   ///< weight of the control variate: 0 = not used, 1 = in full
  bool start_is_graph = false;  ///< minibatch with Ritz steps: the start came from the graph of neighbors

  /// The vectors whose rows get labels.
  const Matrix<T>& labeled_vectors() const { return weighted ? weighted->vectors : vectors; }
};

struct DegreeReport {
  std::vector<double> values;            ///< degrees of own rows, as used
  int64_t columns = 0;                   ///< columns evaluated for sampled degrees
  std::optional<double> relative_error;  ///< of sampled degrees: standard error / degree, root mean square
  std::optional<double> largest_error;   ///< of sampled degrees: the largest standard error / degree
  int64_t isolated_points = 0;           ///< points that were left out of k-means (affinity/isolation.h)
};

/// The normalized cut of the labels, either exact or estimated. Not computed after a stop, or with Nystrom's degrees.
struct Cut {
  std::optional<double> exact;           ///< if the method made full products and the budget has room for one more
  std::optional<double> estimate;        ///< otherwise, from sampled columns
  std::optional<double> standard_error;  ///< of `estimate`
};

/// The neighbor graph of a clustering, with all that is needed to join new points to it (model.h). The point j is in the
/// list of i if it is one of the m nearest points that the search found for i.
struct FittedGraph {
  int64_t each = 0;  ///< m
  Metric metric = Metric::euclidean;
  NeighborWeights weights = NeighborWeights::gaussian_shared;
  EdgeRule edges = EdgeRule::either;
  double width = 0;              ///< s of Gaussian weights
  std::vector<int64_t> starts;   ///< where the edges of each point begin in `columns`; and the end of the last
  std::vector<int32_t> columns;  ///< the point at the other end of each edge
  std::vector<float> values;     ///< the weight of each edge
  std::vector<float> reach;      ///< squared distance from each point to the last point of its list
  std::vector<int32_t> lists;    ///< shared weights only: n x m, the list of each point, nearest first
  std::vector<float> local;      ///< of each point: local weights s_i^2, fuzzy weights rho_i and sigma_i (weights.h)
};

/// Says where to search for the fitted points that are nearest to a new point (affinity/graph/query_search.h).
struct SearchIndex {
  std::vector<int32_t> firsts;     ///< the first point of each group of equal points; empty: no two points are equal
  std::vector<int32_t> leaders;    ///< points, by their number in `firsts`; empty: compare with all points
  std::vector<int32_t> leader_of;  ///< for each of `firsts`, the number of its nearest leader
  int64_t probes = 0;              ///< a new point is compared with the points of this many leaders
};

/// What is needed to label new points if affinity = landmarks (affinity/landmarks/landmark_graph.h). It is small: the
/// points themselves are not needed.
struct LandmarkExtension {
  Matrix<float> landmarks;      ///< p x d, in scaled coordinates
  std::vector<double> degrees;  ///< Dr, of each landmark; 0: its points are isolated
  double width = 0;             ///< of the Gaussian weights
  int64_t each = 0;             ///< K, the landmarks of each point
  uint64_t seed = 0;            ///< of the search for the nearest landmarks
  double mean_degree = 0;       ///< of the fitted points
  Matrix<float> vectors;        ///< (p + 1) x k: Dr^-1 B'S W E for each landmark, then (1/n) 1'S W E (model.h)
  Matrix<double> means;         ///< k x d: the mean of each cluster, for isolated points
};

struct Cost {
  int64_t columns_evaluated = 0;  ///< by the solver and for sampled degrees
  int64_t kernel_values = 0;      ///< evaluated by all stages and ranks
  double passes = 0;              ///< columns_evaluated / n
  struct Seconds {
    double graph = 0, degrees = 0, solve = 0, kmeans = 0, cut = 0;
  } seconds;
  Traffic traffic;           ///< received by this rank, without the distribution and the checks of the input
  int64_t cached_bytes = 0;  ///< size of the cache of kernel values, over all ranks
};

/// If ranks share the points, labels, pairs.vectors, pairs.weighted and degrees.values belong to the rows that this rank passed in, and
/// pairs.block belongs to its row blocks. Everything else describes the whole run and is equal on all ranks, except
/// seconds, threads and traffic.
struct Clustering {
  std::vector<int32_t> labels;  ///< 0..k-1; cluster 0 is the largest
  std::vector<int64_t> cluster_sizes;
  /// One row for each cluster, in the space of the scaled rows (embedding_scale) of pairs.labeled_vectors(): the centers of
  /// k-means; for cluster_qr, the directions of the clusters, which are orthonormal.
  Matrix<double> cluster_centers;
  double inertia = 0;  ///< of k-means: the sum of squared distances to the nearest center; for cluster_qr NaN
  Status status = Status::finished;
  EigenPairs<float> pairs;
  DegreeReport degrees;
  std::shared_ptr<const FittedGraph> graph;  ///< set if affinity = neighbors and keep_graph is set, on one rank
  Cut cut;
  std::optional<LandmarkExtension> landmarks;  ///< set if affinity = landmarks
  Cost cost;
  Plan plan;
};

}  // namespace mbsc
