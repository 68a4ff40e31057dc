// SPDX-License-Identifier: Apache-2.0
// How the default solver divides its budget among landmarks, batches and full products.
#pragma once

#include "mbsc/solvers/solver.h"

namespace mbsc {

/// The division of a budget.
struct RitzPlan {
  int64_t sampled = 0;   ///< columns for the start and the batches
  int64_t products = 0;  ///< at most this many full products after that
};

/// `batch_size` is used only if iterations are the only limit.
RitzPlan plan_ritz(int64_t n, const ClusterOptions& options);

/// Columns of the block: k plus the guards (by default 2k, at least 4).
int64_t block_columns(int64_t n, const ClusterOptions& options);

/// The maximum number of columns of the control variate: 400, or fewer if 256 MiB cannot hold them, but at least those
/// of the block. (On Covtype-I 400 columns leave a third of the error that 100 leave; 1,000 are hardly better.)
int64_t model_rank(int64_t n, int64_t block);

/// The maximum number of landmarks of the warm start within a budget of columns: n/5, limited to 100 to 2,000.
template <class T>
int64_t most_landmarks(int64_t n, int64_t input_bytes, int64_t budget, const ClusterOptions& options);

/// The data that the decisions below depend on.
struct KernelFacts {
  int64_t n = 0;
  double cost_of_value = 1;
  int64_t input_bytes = 0;  ///< Affinity::input_bytes()
  /// The number of landmarks that a kernel of this width needs: 36 for each effective eigenvalue, of which there are
  /// about |L|_F^2 ~ sum_j q_j s_j^4.
  double wanted_landmarks = 0;
  bool has_graph = false;  ///< there is a graph of neighbors, and degrees are exact
  bool has_exact_degrees = true;
};
template <class T>
KernelFacts facts_of(const Normalized<T>& L);

/// The number of batches in the first pass, each as large as all before it. The default is four (from a random block
/// eight), so that steps come early. From one pass on, if degrees are exact and the start is good: as many batches as
/// cost no more, with their algebra, than the evaluation of the pass itself. A start is good with five times the
/// landmarks that the kernel needs; with fewer, one batch left 20 times the error of four on Pendigits at 4/median. A
/// step, and the parts that measure the noise of its batch, take about 25 products with the model and 120 with the
/// block, n k' rank and n k'^2.
int64_t worthwhile_batches(const KernelFacts& facts, int64_t landmarks, const ClusterOptions& options);

/// Whether this many landmarks are far too few for a narrow kernel, so that the graph of neighbors may be better.
bool graph_may_start(const KernelFacts& facts, int64_t landmarks, const ClusterOptions& options);

/// The number of landmarks to use. Below one pass columns are scarce, and landmarks are their best use. From one
/// pass on all columns are evaluated, and landmarks are only a start. Their algebra, n m^2, should not cost more than
/// the pass:
///     n m^2 <= n^2 (cost of a value + k' + 10) / 2        (/ 16, but 5 times the wanted, in a single batch).
/// For a narrow kernel it is as many as the kernel needs. But if the graph of neighbors may be the start, it is only
/// the rank of the model, at least 400: in addition to the graph, 2,000 are hardly better (on MNIST, Pendigits and
/// Shuttle at their default widths, the sum of the values found is the same to 6e-4 of it). With a limit of seconds: as
/// many as a slow machine evaluates in a quarter of them.
template <class T>
int64_t worthwhile_landmarks(const KernelFacts& facts, int64_t budget, const ClusterOptions& options);

/// The number of largest entries of each row that the degree pass should collect. It is zero if the run does its pass
/// in a single batch, which does not use them. On small data the search would take most of the pass, so 100 columns
/// decide beforehand. If these leave a doubt, the entries are collected.
int64_t neighbors_needed(const Affinity<float>& affinity, const ClusterOptions& options);

}  // namespace mbsc
