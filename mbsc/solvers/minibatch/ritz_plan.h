// SPDX-License-Identifier: Apache-2.0
// How minibatch (with Ritz steps) divides its budget among landmarks, batches and full products.
#pragma once

#include "mbsc/solvers/solver.h"

namespace mbsc {

/// The division of a budget.
struct RitzPlan {
  int64_t sampled = 0;   ///< the number of columns for the start and the batches
  int64_t products = 0;  ///< the largest number of full products after the batches
};

/// Divides the budget that the options give. Reads `batch_size` only if iterations are limited and passes are not.
RitzPlan plan_ritz(int64_t n, const ClusterOptions& options);

/// k', the number of columns of the block: k plus the guards (by default 2k, at least 4).
int64_t block_columns(int64_t n, const ClusterOptions& options);

/// The maximum number of columns of the control variate: 400, or fewer if 256 MiB cannot hold them, but at least those
/// of the block. (On Covtype-I 400 columns leave a third of the error that 100 leave; 1,000 are hardly better.)
int64_t model_rank(int64_t n, int64_t block);

/// The largest number of landmarks that a budget of columns allows, but at most options.landmarks (by default n/5,
/// within [100, 2000]).
template <class T>
int64_t most_landmarks(int64_t n, int64_t input_bytes, int64_t budget, const ClusterOptions& options);

/// The data that the decisions below depend on.
struct KernelFacts {
  int64_t n = 0;
  double cost_of_value = 1;  ///< Affinity::cost_of_value()
  int64_t input_bytes = 0;   ///< Affinity::input_bytes()
  /// The number of landmarks that a kernel of this width needs: 36 for each effective eigenvalue, of which there are
  /// about |L|_F^2 ~ sum_j q_j s_j^4 (q_j = sum_i a_ij^2, s_j = (d_j + tau)^-1/2).
  double wanted_landmarks = 0;
  bool has_graph = false;  ///< there is a graph of neighbors, and degrees are exact
  bool has_exact_degrees = true;
};
template <class T>
KernelFacts facts_of(const Normalized<T>& L);

/// The number of batches in the first pass, each as large as all before it together. Usually it is four (eight from a
/// random block), so that steps come early. It may be lower if the budget has one pass or more, neither batch_size nor
/// iterations are set, degrees are exact, and the start is good. Then it is chosen so that the algebra of the batches
/// costs no more than the evaluation of the pass. A start is good if it has at least five times the landmarks that the
/// kernel needs. With fewer landmarks, one batch left 20 times the error that four batches left (Pendigits, gamma = 4 /
/// median squared distance). A step and the measurement of its noise cost about 25 n k' rank + 120 n k'^2 operations,
/// where rank is model_rank().
int64_t worthwhile_batches(const KernelFacts& facts, int64_t landmarks, const ClusterOptions& options);

/// Whether to try the graph of neighbors as the start. It is tried if no start is given, there is a graph, and the
/// landmarks are fewer than two thirds of those that the kernel needs.
bool graph_may_start(const KernelFacts& facts, int64_t landmarks, const ClusterOptions& options);

/// The number m of landmarks to use. If the budget is below one pass, columns are scarce, and landmarks are their best
/// use. If the budget has one pass or more, all columns are evaluated anyway, and landmarks are only a start. Their
/// algebra, n m^2, should not cost more than the pass:
///     n m^2 <= n^2 (cost of a value + k' + 10) / 2        (for a single batch: 16 instead of 2)
/// For a narrow kernel, m is larger: as many landmarks as the kernel needs (for a single batch, five times as many).
/// But if the graph of neighbors may be the start, m is at most 400, or the rank of the model if that is larger. With such a graph,
/// 2,000 landmarks are hardly better: on MNIST, Pendigits and Shuttle at their default widths, the sum of the
/// eigenvalues found changes by 0.06 %. If seconds are limited, m is at most the number of landmarks that a slow
/// machine completes in a quarter of that time.
template <class T>
int64_t worthwhile_landmarks(const KernelFacts& facts, int64_t budget, const ClusterOptions& options);

/// The number of largest entries of each row that the degree pass should collect. It is 0 if there are more than 2^20
/// points, or if a start other than `neighbors` is given. It is 16 if start = neighbors, or if the pass is expensive.
/// If the pass is cheap, the search for these entries would take most of its time. Then 100 sampled columns predict the
/// number of batches. If they predict a single batch, which does not use the entries, the result is 0, otherwise 16.
int64_t neighbors_needed(const Affinity<float>& affinity, const ClusterOptions& options);

}  // namespace mbsc
