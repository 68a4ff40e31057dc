// SPDX-License-Identifier: Apache-2.0
// The settings of a clustering, as plain structs. An unset std::optional means "automatic": the run chooses the value,
// and the result contains it (Plan in result.h). docs/options.md lists every option: its flag, its Python argument, the
// methods it applies to, its values and its default. That page is generated from the option table (options/table.h).
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>

namespace mbsc {

/// rbf, exponential, cosine: a dense kernel. neighbors: a graph that joins each point to its nearest points. landmarks:
/// a graph that joins each point to its nearest landmarks. precomputed: the input is a matrix of affinities or a graph.
enum class AffinityKind { rbf, exponential, cosine, neighbors, landmarks, precomputed };
/// The distance by which nearest points are found. cosine: the Euclidean distance after each point is scaled to length 1,
/// which grows with the angle between two points.
enum class Metric { euclidean, cosine };
/// The weight of an edge of the neighbor graph (affinity/graph/weights.h).
enum class NeighborWeights { gaussian, shared, gaussian_shared, binary, local, fuzzy };
/// Which points the neighbor graph joins. either: two points of which one is in the list of the other (the option value
/// is "union"). mutual: two points that are in each other's lists.
enum class EdgeRule { either, mutual };
/// What replaces a given graph A that is not symmetric. mean: (A + A')/2. max: the larger of a_ij and a_ji. mutual: their
/// mean if both are positive, else no edge.
enum class Symmetrize { mean, max, mutual };
/// How each feature is scaled. unit: to [0, 1]. symmetric: to [-1, 1]. standard: to mean 0 and standard deviation 1. A
/// constant feature becomes 0.
enum class Scaling { none, unit, symmetric, standard };
/// exact: computed by one symmetric pass, which does not count in the budget. sampled: estimated from some columns,
/// which count in the budget (affinity/degrees/sampled_degrees.h). nystrom: approximated by the method nystrom, and
/// only available for that method.
enum class DegreeKind { exact, sampled, nystrom };
/// How the rows of the eigenvectors are scaled before they get labels. none: not at all (the paper). row: to length one
/// (Ng, Jordan, Weiss). degree: divided by the root of the degree (Shi, Malik).
enum class EmbeddingScale { none, row, degree };
/// How the rows get their labels. kmeans: by k-means. cluster_qr: by a rotation of the eigenvectors, without random
/// numbers (Damle, Minden, Ying; kmeans/cluster_qr.h).
enum class Assign { kmeans, cluster_qr };
/// Which eigenvectors are used for the labels. sharp: the k leading ones. soft: also some after them, each with a weight
/// that falls with its eigenvalue (solvers/chebyshev/soft_cutoff.h).
enum class Cutoff { sharp, soft };
/// Where the first block of vectors comes from: random numbers, Nystrom's approximation, or the graph of neighbors
/// (minibatch with Ritz steps only).
enum class Start { random, nystrom, neighbors };
/// How minibatch updates the block: by Ritz steps, or by the AdaGrad steps of the paper.
enum class StepRule { ritz, adagrad };
/// How columns are drawn: by importance, or all with the same probability, as in the paper.
enum class ColumnChoice { importance, uniform };
/// How a batch estimates L W (solvers/paper/estimator.h). The option value for `signs` is the word "signed".
enum class Estimator { columns, signs };
/// reshuffle: each pass uses every column once. independent: every batch is drawn independently; with the estimator
/// `signs`, so is every vector of a batch.
enum class Sampling { reshuffle, independent };
/// The matrix that the power method multiplies by: L, or (I + L)/2, which has no negative eigenvalues.
enum class PowerOperator { plain, shifted };

/// Checks a flag that another thread or a signal handler sets. A default-constructed token never asks to stop.
class StopToken {
 public:
  StopToken() = default;
  explicit StopToken(const std::atomic<bool>& flag) : flag_(&flag) {}
  bool stop_requested() const { return is_set(flag_) || is_set(second_); }
  /// A token that checks the first flag of this token and also `flag`.
  StopToken or_when(const std::atomic<bool>& flag) const {
    StopToken both = *this;
    both.second_ = &flag;
    return both;
  }

 private:
  static bool is_set(const std::atomic<bool>* flag) { return flag != nullptr && flag->load(std::memory_order_relaxed); }
  const std::atomic<bool>* flag_ = nullptr;
  const std::atomic<bool>* second_ = nullptr;
};

/// Thrown if a computation was asked to stop before it had a result.
class Stopped : public std::exception {
 public:
  const char* what() const noexcept override { return "stopped on request"; }
};

/// A solver ends at the first limit that it reaches. If a limit is unset, the default of the method applies.
struct Limits {
  std::optional<double> passes;       ///< columns evaluated / n
  std::optional<int64_t> iterations;  ///< batches, products or Krylov steps
  std::optional<double> seconds;      ///< wall clock; the only limit that makes a run irreproducible
  std::optional<double> tolerance;    ///< largest recomputed residual |L w - theta w|
  std::optional<double> stall;        ///< minibatch: end if a step moves the subspace by less than this (rms sine)
};

/// Options of minibatch with Ritz steps.
struct RitzOptions {
  ColumnChoice columns = ColumnChoice::importance;  ///< how landmarks and the columns of batches are drawn
  bool control_variate = true;                      ///< use the Nystrom model to lower the variance of the estimates
  bool polish = true;                               ///< make full products as soon as the budget allows them
};

/// Options of minibatch with AdaGrad steps, the paper's algorithm. l, N_r and p are options of the estimator `signs`.
struct AdaGradOptions {
  Estimator estimator = Estimator::columns;
  Sampling sampling = Sampling::reshuffle;
  int64_t nonzeros = 2;               ///< l, the number of non-zeros in each vector
  std::optional<int64_t> vectors;     ///< N_r, the number of vectors in a batch; sets batch_size = l N_r
  std::optional<double> probability;  ///< p, the probability that a component is non-zero; then l is p n on average
  std::optional<double> step;         ///< lambda, the step size; automatic: 1 / sqrt(n)
  double epsilon = 1e-6;              ///< added to the root that AdaGrad divides by
};

struct PowerOptions {
  PowerOperator power_operator = PowerOperator::plain;
};

struct ExactOptions {
  std::optional<int64_t> basis_size;  ///< columns of the basis before a restart
};

struct ClusterOptions {
  int64_t clusters = 8;  ///< k

  // The problem.
  Scaling scale = Scaling::none;         ///< scaling of the features, before anything else
  std::optional<int64_t> scale_rows;     ///< compute the scaling from the first N rows; automatic: all
  std::optional<AffinityKind> affinity;  ///< automatic: see flow/choose_affinity.h
  std::optional<double> gamma;           ///< automatic: from sampled distances
  std::optional<double> regularization;  ///< tau / mean degree; automatic: 0.001; for a graph less or 0
  std::optional<int64_t> neighbors;      ///< how many nearest points, or nearest landmarks, each point is joined to
  Metric metric = Metric::euclidean;     ///< affinity = neighbors
  NeighborWeights edge_weights = NeighborWeights::gaussian_shared;  ///< affinity = neighbors
  EdgeRule edges = EdgeRule::either;                                ///< affinity = neighbors
  std::optional<double> edge_width;  ///< affinity = neighbors: width of the Gaussian / mean distance of neighbors
  double recall = 0.95;              ///< affinity = neighbors: the share of true neighbors that the search must find
  std::optional<Symmetrize> symmetrize;  ///< given graph; unset: a graph that is not symmetric is refused
  DegreeKind degrees = DegreeKind::exact;
  std::optional<int64_t> degree_columns;  ///< columns drawn for sampled degrees
  EmbeddingScale embedding_scale = EmbeddingScale::row;
  std::optional<Cutoff> cutoff;  ///< for chebyshev; automatic: soft for neighbors and k-means, from 1,000 points on
  Assign assign = Assign::kmeans;
  int64_t restarts = 10;  ///< assign = kmeans: runs of k-means

  // The solver.
  std::optional<std::string> method;    ///< minibatch, exact, nystrom, power, chebyshev, transfer (solvers/registry.h)
  StepRule step_rule = StepRule::ritz;  ///< for minibatch
  Limits limits;
  std::optional<Start> start;         ///< for minibatch and exact
  std::optional<int64_t> landmarks;   ///< points that Nystrom samples; affinity = landmarks: the number of landmarks
  std::optional<int64_t> guards;      ///< minibatch: columns of the block beyond k
  std::optional<int64_t> batch_size;  ///< minibatch: columns of a batch
  std::optional<int64_t> block_size;  ///< exact, nystrom, power, chebyshev: columns of a block
  RitzOptions ritz;
  AdaGradOptions adagrad;
  PowerOptions power;
  ExactOptions exact;

  // The run.
  uint64_t seed = 0;           ///< the same seed gives the same bits
  std::optional<int> threads;  ///< automatic: OMP_NUM_THREADS, else all CPUs that this process may use
  int64_t cache = 0;           ///< bytes of memory for kernel values of the degree pass, which full products reuse
  bool keep_block = false;     ///< fill EigenPairs::block (C++ only)
  bool keep_graph =
      false;       ///< affinity = neighbors: fill Clustering::graph, so that make_model() need not build it again
  StopToken stop;  ///< C++ only
};

}  // namespace mbsc
