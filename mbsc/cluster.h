// SPDX-License-Identifier: Apache-2.0
// The whole flow in one call: points -> affinity -> degrees -> eigenvectors -> k-means -> labels.
//
//     mbsc::Matrix<float> X = ...;                     // n x d
//     mbsc::ClusterOptions options;
//     options.clusters = 10;
//     mbsc::Clustering result = mbsc::cluster(mbsc::Points(X.view()), options);
//     result.labels, result.eigenvalues, result.residuals, result.embedding ...
//
// Memory grows with n; the n x n matrix never exists. Throws InvalidInput where a rule is broken, Stopped where it was
// asked to stop before there was anything to return. Never prints.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "mbsc/affinity/scaling.h"
#include "mbsc/base/points.h"
#include "mbsc/comm/comm.h"
#include "mbsc/solvers/solver.h"

namespace mbsc {

enum class AffinityKind { rbf, exponential, cosine, precomputed };
/// What k-means sees: rows of the eigenvectors as they are (the paper); scaled to length one (Ng, Jordan, Weiss);
/// divided by the root of the degree (Shi, Malik).
enum class EmbeddingScale { none, row, degree };
/// exact: one symmetric pass, outside of any budget. sampled: from some columns, which count in the budget
/// (affinity/sampled_degrees.h). nystrom: Nystrom's own approximation, for the method nystrom.
enum class DegreeKind { exact, sampled, nystrom };

struct ClusterOptions {
  int64_t clusters = 8;          ///< k
  std::optional<Method> method;  ///< unset: choose_method()
  AffinityKind affinity = AffinityKind::rbf;
  std::optional<double> gamma;  ///< unset: choose_gamma()
  DegreeKind degrees = DegreeKind::exact;
  int64_t degree_columns = 0;     ///< drawn for sampled degrees; 0 = choose_degree_columns()
  double regularization = 0.001;  ///< tau / mean degree; docs/defaults.md says why
  EmbeddingScale embedding_scale = EmbeddingScale::row;
  int restarts = 10;     ///< of k-means
  uint64_t seed = 0;     ///< of everything
  int threads = 0;       ///< 0 = all this process may use (default_threads())
  int64_t memory = 0;    ///< bytes for kernel values of the degree pass, kept in 16 bits for full products; 0 = none
  SolverOptions solver;  ///< budget and method; its clusters, seed and stop are taken from here
  StopToken stop;
};

/// The settings of the paper: minibatch with the estimator `columns`, m = 100 as N_r = 50 rounds of l = 2, Nystrom
/// start with 10 landmarks, AdaGrad with lambda = 1/sqrt(n) and epsilon = 1e-6, no regularization, embedding `none`.
void apply_paper_preset(ClusterOptions& options);

/// Where a run is. Called from the calling thread; returning false asks it to stop.
struct Stage {
  std::string name;     ///< "degrees", "solve", "kmeans"
  double fraction = 0;  ///< of the stage; NaN = not known
  int64_t iteration = 0;
  double passes = 0;
  double objective = 0;  ///< trace(W'LW) as last estimated
  double residual = 0;   ///< NaN = not known
};
using StageObserver = std::function<bool(const Stage&)>;

/// Where ranks share the points, labels, embedding and degrees are those of the rows this rank has given; all else is of
/// the whole and equal on all ranks, but for seconds, threads, the estimate of memory and the traffic.
struct Clustering {
  std::vector<int32_t> labels;  ///< 0..k-1, by falling cluster size
  std::vector<int64_t> cluster_sizes;
  Matrix<double> cluster_centers;   ///< k x k, of k-means, among rows as it sees them (embedding_scale)
  Matrix<float> embedding;          ///< n x k, orthonormal columns, unscaled
  std::vector<double> eigenvalues;  ///< of L, descending
  bool eigenvalues_are_exact = false;
  std::vector<double> residuals;      ///< recomputed; empty = unknown
  bool residuals_are_bounds = false;  ///< upper bounds, from the full product before
  double subspace_error = 0;          ///< estimated rms sine to the exact eigenvectors; NaN = unknown
  ErrorSource subspace_error_source = ErrorSource::none;
  std::optional<Probe> probe;     ///< for leading eigenvalues that were missed
  std::vector<double> degrees;    ///< as used
  int64_t isolated_points = 0;    ///< without a neighbor (or one that counts); labeled by distance
  Method method = Method::exact;  ///< as used
  double gamma = 0;               ///< as used; NaN for cosine and precomputed
  Status status = Status::finished;
  int64_t iterations = 0;
  int64_t columns_evaluated = 0;  ///< by the solver, and for sampled degrees
  int64_t kernel_values = 0;      ///< evaluated by every stage and rank together
  double passes = 0;              ///< columns_evaluated / n
  double flops = 0;
  int64_t batch_size = 0;
  int64_t landmarks = 0;
  int64_t guards = 0;
  double control_variate = 0;  ///< its weight
  bool start_is_graph = false;  ///< minibatch: from the graph of neighbors
  int64_t degree_columns = 0;                   ///< evaluated for sampled degrees, those of rows in doubt included
  std::optional<double> degree_relative_error;  ///< of sampled degrees: standard error / degree, root mean square
  std::optional<double> degree_largest_error;   ///< the largest of these
  int threads = 1;  ///< of this rank
  int ranks = 1;
  double inertia = 0;                             ///< of k-means
  std::optional<double> normalized_cut;           ///< where the budget had a full product
  std::optional<double> normalized_cut_estimate;  ///< else, from sampled columns
  std::optional<double> normalized_cut_standard_error;
  struct Seconds {
    double degrees = 0, solve = 0, kmeans = 0, cut = 0;
  } seconds;
  int64_t memory_estimate_bytes = 0;  ///< of a rank
  Traffic traffic;                    ///< what came to this rank, from the degrees on
  int64_t kept_bytes = 0;  ///< of kernel values
  std::vector<TraceEntry> trace;
};

/// Clusters the points; for `precomputed` they are the rows of the matrix.
Clustering cluster(const Points& points, const ClusterOptions& options, const StageObserver& observer = {});

/// The same for points that ranks share, of which each passes its own (any number, in the order of the ranks); collective,
/// with the same options on all. The result has the same bits for any number of ranks. Rank 0 decides when to stop. Rows
/// are copied where they are not shared out as the blocks want them (linalg/row_balance.h).
Clustering cluster(const Points& points, const ClusterOptions& options, const Comm& comm,
                   const StageObserver& observer = {});

/// What cluster() will take beside the points, in bytes: on each of so many ranks.
int64_t estimate_memory(int64_t n, int64_t features, const ClusterOptions& options, int ranks = 1);
/// The columns cluster() will draw for sampled degrees: those given; else n/50 or 2,000 where that is more, within n
/// and, where passes is given, at most what leaves three quarters of it to the solver.
int64_t choose_degree_columns(int64_t n, const ClusterOptions& options);
/// The method that cluster() will use: the one given; else exact with a tolerance, minibatch with passes or iterations,
/// and without any of these exact where it is cheap.
Method choose_method(int64_t n, int64_t features, const ClusterOptions& options);

}  // namespace mbsc
