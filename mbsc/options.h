// SPDX-License-Identifier: Apache-2.0
// The settings of a clustering, as plain structs. An unset std::optional means "automatic": resolve() chooses the value
// before any work, and the result keeps what was chosen. docs/options.md lists every option: its flag, its Python
// argument, the methods it applies to, its values and its default. It is generated from the option table
// (options/table.h).
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>

namespace mbsc {

/// rbf, exponential, cosine: a dense kernel. neighbors: the graph of near points. precomputed: the input is a matrix of
/// affinities.
enum class AffinityKind { rbf, exponential, cosine, neighbors, precomputed };
/// The weight of an edge of the neighbor graph (affinity/graph/weights.h).
enum class NeighborWeights { gaussian, shared, gaussian_shared, binary, local };
/// Per feature: none | to [0, 1] | to [-1, 1] | to mean 0 and standard deviation 1. A constant feature becomes 0.
enum class Scaling { none, unit, symmetric, standard };
/// exact: one symmetric pass, not counted in any budget. sampled: from some columns, which count in the budget
/// (affinity/degrees/sampled_degrees.h). nystrom: the approximation of the method nystrom, for that method only.
enum class DegreeKind { exact, sampled, nystrom };
/// The rows that k-means clusters: rows of the eigenvectors as they are (the paper); scaled to length one (Ng, Jordan,
/// Weiss); divided by the root of the degree (Shi, Malik).
enum class EmbeddingScale { none, row, degree };
/// The first block of vectors: random; Nystrom's; those of the graph of neighbors (minibatch with Ritz steps only).
enum class Start { random, nystrom, neighbors };
/// How minibatch moves the block: by Ritz steps, or by the AdaGrad steps of the paper.
enum class StepRule { ritz, adagrad };
/// How columns are drawn: by importance, or all with the same probability, as in the paper.
enum class ColumnChoice { importance, uniform };
/// How a batch estimates L W (solvers/paper/estimator.h).
enum class Estimator { columns, signs };
/// reshuffle: every column once per pass. independent: each batch, and each vector of `signed`, is drawn anew.
enum class Sampling { reshuffle, independent };
/// The matrix that the power method multiplies by: L, or (I + L)/2, which has no negative eigenvalues.
enum class PowerOperator { plain, shifted };

/// Looks at a flag that another thread or a signal handler sets. A default-constructed token never asks to stop.
class StopToken {
 public:
  StopToken() = default;
  explicit StopToken(const std::atomic<bool>& flag) : flag_(&flag) {}
  bool stop_requested() const { return is_set(flag_) || is_set(second_); }
  /// A token that looks at this one's flag and at a second one.
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

/// When a solver ends: at the first limit it reaches. Unset: the method's own default.
struct Limits {
  std::optional<double> passes;       ///< columns evaluated / n
  std::optional<int64_t> iterations;  ///< batches, products or Krylov steps
  std::optional<double> seconds;      ///< wall clock; the only limit that makes a run irreproducible
  std::optional<double> tolerance;    ///< largest recomputed residual |L w - theta w|
  std::optional<double> stall;        ///< minibatch: end if a step moves the subspace by less (rms sine)
};

/// minibatch with Ritz steps.
struct RitzOptions {
  ColumnChoice columns = ColumnChoice::importance;  ///< of landmarks and batches
  bool control_variate = true;                      ///< subtract the Nystrom model, as far as that lowers the variance
  bool polish = true;                               ///< full products as soon as the budget allows them
};

/// minibatch with AdaGrad steps: the paper's algorithm.
struct AdaGradOptions {
  Estimator estimator = Estimator::columns;
  Sampling sampling = Sampling::reshuffle;
  int64_t nonzeros = 2;               ///< l, the non-zeros of each vector of `signed`
  std::optional<int64_t> vectors;     ///< N_r, vectors of a batch: sets batch_size = l N_r
  std::optional<double> probability;  ///< p: each component is non-zero with this probability, l = p n on average
  std::optional<double> step;         ///< lambda; automatic: 1 / sqrt(n)
  double epsilon = 1e-6;
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
  Scaling scale = Scaling::none;         ///< applied to points before anything else
  std::optional<int64_t> scale_rows;     ///< compute the scaling from the first N rows; automatic: all
  std::optional<AffinityKind> affinity;  ///< automatic: rbf for points, precomputed for a matrix
  std::optional<double> gamma;           ///< automatic: from sampled distances
  std::optional<double> regularization;  ///< tau / mean degree; automatic: 0.001, for a neighbor graph 0
  std::optional<int64_t> neighbors;      ///< of affinity = neighbors: the nearest points that each point is joined to
  NeighborWeights edge_weights = NeighborWeights::gaussian_shared;  ///< of affinity = neighbors
  double recall = 0.95;  ///< of affinity = neighbors: the share of true neighbors that the search must find
  DegreeKind degrees = DegreeKind::exact;
  std::optional<int64_t> degree_columns;  ///< columns drawn for sampled degrees
  EmbeddingScale embedding_scale = EmbeddingScale::row;
  int64_t restarts = 10;  ///< of k-means

  // The solver.
  std::optional<std::string> method;    ///< minibatch, exact, nystrom or power (solvers/registry.h)
  StepRule step_rule = StepRule::ritz;  ///< of minibatch
  Limits limits;
  std::optional<Start> start;         ///< of minibatch and exact
  std::optional<int64_t> landmarks;   ///< of Nystrom, as a method and as a start
  std::optional<int64_t> guards;      ///< of minibatch: columns beyond k
  std::optional<int64_t> batch_size;  ///< of minibatch: columns of a batch
  std::optional<int64_t> block_size;  ///< of power, nystrom and exact: columns of a block
  RitzOptions ritz;
  AdaGradOptions adagrad;
  PowerOptions power;
  ExactOptions exact;

  // The run.
  uint64_t seed = 0;           ///< same seed, same bits
  std::optional<int> threads;  ///< automatic: all that this process may use
  int64_t cache = 0;           ///< bytes for kernel values of the degree pass, reused in full products
  bool keep_block = false;     ///< fill EigenPairs::block (C++ only)
  StopToken stop;              ///< C++ only
};

}  // namespace mbsc
