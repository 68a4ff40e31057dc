// SPDX-License-Identifier: Apache-2.0
// The data of the default solver: the input of a run (Problem), and the data that the steps change (State). The
// functions start(), sample(), step() and polish() work on them. Each function has its own file; minibatch.cpp contains
// the loop.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <memory>
#include <optional>
#include <vector>

#include "mbsc/affinity/degrees/degree_tally.h"
#include "mbsc/solvers/budget.h"
#include "mbsc/solvers/minibatch/batch_memory.h"
#include "mbsc/solvers/minibatch/column_order.h"
#include "mbsc/solvers/minibatch/nystrom_model.h"
#include "mbsc/solvers/minibatch/ritz_plan.h"
#include "mbsc/solvers/minibatch/sparse_part.h"

namespace mbsc::minibatch {

/// The data that does not change during a run. The options are resolved.
template <class T>
struct Problem {
  Problem(const Normalized<T>& L, const ClusterOptions& options_, const Observer<T>& observer_)
      : given(L),
        options(options_),
        observer(observer_),
        plan(plan_ritz(L.n(), options)),
        budget(L.n(), options.limits, passes_of(plan, L.n(), options.limits), L.comm(),
               plan.products >= 1000 || (options.limits.tolerance && !options.limits.passes)),
        n(L.n()),
        k(options.clusters),
        columns(block_columns(n, options)) {}

  const RowSpace& rows() const { return given.rows(); }

  const Normalized<T>& given;
  const ClusterOptions& options;
  const Observer<T>& observer;
  const RitzPlan plan;
  const Budget budget;
  const int64_t n, k, columns;  ///< columns: k' = k plus the guards

 private:
  static std::optional<double> passes_of(const RitzPlan& plan, int64_t n, const Limits& limits) {
    if (limits.iterations && !limits.passes) return std::nullopt;
    return limits.passes.value_or(double(plan.products) + double(plan.sampled) / double(n));
  }
};

/// The data that the steps change.
template <class T>
struct State {
  Matrix<T> W;            ///< the block: own rows x k', orthonormal
  Eigen::VectorXd theta;  ///< estimates of the Rayleigh quotients of the block, at first by the Nystrom model
  Solution<T> pairs;      ///< the result, and the columns and operations spent so far

  std::optional<NystromModel<T>> model;  ///< the control variate; empty if there is none
  std::optional<SparsePart<T>> largest;  ///< the largest entries of each row, which no batch needs to sample
  KeptColumns<T> kept;                   ///< columns that stay in memory
  ColumnOrder order;                     ///< yields the next columns
  int64_t batches = 8;  ///< batches in the first pass: 8 if W starts as a random block, else start() sets it

  std::unique_ptr<Normalized<T>> better;  ///< L with degrees improved by the columns; null: L as given
  std::optional<DegreeTally> tally;       ///< empty if degrees are exact
  int64_t wasted_products = 0;            ///< full products whose result could not be used
  bool is_stalled = false;

  const Normalized<T>& L(const Problem<T>& problem) const { return better ? *better : problem.given; }
  NystromModel<T>* model_or_null() { return model ? &*model : nullptr; }
  DegreeTally* tally_or_null() { return tally ? &*tally : nullptr; }
};

template <class T>
void count_columns(const Problem<T>& problem, State<T>& state, int64_t count) {
  state.pairs.columns_evaluated += count;
  state.pairs.flops += 2.0 * double(problem.n) * double(problem.columns) * double(count);
}

/// Reports progress to the observer; returns false if the run should end.
template <class T>
bool report(const Problem<T>& problem, State<T>& state, double residual = std::nan("")) {
  EigenPairs<T>& pairs = state.pairs;
  const Progress<T> progress{pairs.iterations,
                             double(pairs.columns_evaluated) / double(problem.n),
                             problem.budget.fraction(pairs.columns_evaluated, pairs.iterations - 1),
                             state.theta.head(problem.k).sum(),
                             residual,
                             state.W};
  const bool go_on = observe(problem.options, problem.observer, progress, problem.budget.seconds(), pairs);
  if (!go_on) pairs.status = Status::stopped;
  return go_on;
}

/// The warm start. Returns the first block, the model, and the landmark columns that stay in memory.
template <class T>
State<T> start(const Problem<T>& problem);

/// The division of the columns in the budget into batches.
struct Batches {
  bool are_worthwhile =
      false;                  ///< false: the budget is too small to improve on the landmarks, or all columns are stored
  int64_t left = 0;           ///< the number of columns that may still be evaluated
  int64_t first_pass = 0;     ///< the number of columns that the first pass samples
  int64_t in_first_pass = 1;  ///< the number of batches of the first pass, each as large as all before it together
  int64_t fixed_cost = 0;     ///< the number of columns that are evaluated again for every step
  int64_t seen = 0;           ///< the number of columns sampled so far
  int64_t sampled = 0;        ///< the number of batches sampled so far
};

/// Chooses the columns that every batch includes, and stores them if they fit.
template <class T>
Batches plan_batches(const Problem<T>& problem, State<T>& state);
/// Divides the other columns into batches, and returns an empty BatchMemory for them. The state must not move while the
/// memory is in use.
template <class T>
BatchMemory<T> open_memory(const Problem<T>& problem, State<T>& state, Batches& batches);

enum class Sampled { batch, nothing, stopped };
/// Adds one batch to the estimates: the fixed columns, whether stored or evaluated again, and the next
/// columns.
template <class T>
Sampled sample(const Problem<T>& problem, State<T>& state, Batches& batches, BatchMemory<T>& memory);

/// Takes a Ritz step along the estimates that `memory` holds. Returns false if the block has stalled.
template <class T>
bool step(const Problem<T>& problem, State<T>& state, BatchMemory<T>& memory);

/// Switches to better degrees: divides row i of W by r_i = new s_i / old s_i (rescaling.h), then multiplies W by the
/// k' x k' matrix M that makes it orthonormal. Returns M. `rescale_others` must rescale all other data about L.
template <class T>
Eigen::MatrixXd take_degrees(const Problem<T>& problem, State<T>& state, Degrees degrees,
                             const std::function<void(const Rescaling<T>&)>& rescale_others);

/// Computes the full products that the budget allows. With a tolerance, there is at least one product, which certifies
/// the result. After a stall, this product is the only one (without a tolerance, there is no product after a stall).
template <class T>
void polish(const Problem<T>& problem, State<T>& state);

}  // namespace mbsc::minibatch
