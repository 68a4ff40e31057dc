// SPDX-License-Identifier: Apache-2.0
// What the mini-batches with Ritz steps spend on what.
#pragma once

#include "mbsc/solvers/solver.h"

namespace mbsc {

/// How a budget is divided.
struct RitzPlan {
  int64_t sampled = 0;   ///< columns for the start and the batches
  int64_t products = 0;  ///< full ones after that, at most
};

RitzPlan plan_ritz(int64_t n, const SolverOptions& options, int64_t batch_size);

/// Columns of the block, k and the guards.
int64_t block_columns(int64_t n, const SolverOptions& options);
/// Columns of the control variate, at most: 400 (on Covtype-I a third of the error that 100 leave; 1,000 are hardly
/// better) as 256 MiB have room for, and those of the block.
int64_t model_rank(int64_t n, int64_t block);
/// Batches, each as large as all before it, that the first pass is divided into: four (from a random block eight), so
/// that steps come early. From one pass on, where degrees are exact and the start good (five times the landmarks that
/// the kernel asks for: with fewer, one batch left 20 times the error of four on Pendigits at 4/median), as many as
/// with their algebra cost no more than the evaluation of the pass itself: a step and the parts that tell the noise of
/// its batch take about 25 products with the model and 120 with the block, n k' rank and n k'^2.
template <class T>
int64_t worthwhile_batches(const Normalized<T>& L, int64_t landmarks, const SolverOptions& options);
/// The most landmarks of the warm start within a budget of columns: n/5, 100 to 2,000.
template <class T>
int64_t most_landmarks(int64_t n, int64_t budget, const SolverOptions& options);
/// The landmarks that a kernel of this width asks for: 36 for each effective eigenvalue, of which there are about
/// |L|_F^2 ~ sum_j q_j s_j^4.
template <class T>
double wanted_landmarks(const Normalized<T>& L);
/// Whether so many landmarks are so far too few for a narrow kernel that the graph of neighbors may know more.
template <class T>
bool graph_may_start(const Normalized<T>& L, int64_t landmarks, const SolverOptions& options);
/// The landmarks that are worth it. Below one pass columns are what is scarce, and landmarks the best use of them. From
/// one pass on all columns are seen, and landmarks are a start whose algebra, n m^2, should not outweigh the pass:
///     n m^2 <= n^2 (cost of a value + k' + 10) / 2        (/ 16, but 5 times the wanted, in a single batch),
/// or, where eigenvalues crowd (a narrow kernel), as many as that asks for: more where more is to be
/// found; but the rank of the model, at least 400, where the graph of neighbors may be the start: beside it 2,000 are hardly
/// better (on MNIST, Pendigits and Shuttle at their default widths the values found have the same sum to 6e-4 of it).
/// With a limit of seconds, what a slow machine has in a quarter of them.
template <class T>
int64_t worthwhile_landmarks(const Normalized<T>& L, int64_t budget, const SolverOptions& options);
/// Whether a run would use the largest entries of each row: not where its pass is a single batch.
template <class T>
bool wants_neighbors(const Normalized<T>& L, const SolverOptions& options);

}  // namespace mbsc
