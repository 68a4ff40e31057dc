// SPDX-License-Identifier: Apache-2.0
// What the four solvers share: one signature, one set of options, one result.
//
//     EigenPairs<T> solve_<method>(const Normalized<T>& L, const SolverOptions&, const Observer<T>&)
//
// computes the k leading eigenpairs of L. Solvers see neither points nor kernels, neither SIMD nor ranks.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "mbsc/affinity/normalized.h"
#include "mbsc/base/matrix.h"
#include "mbsc/base/stop_token.h"

namespace mbsc {

enum class Method { minibatch, nystrom, power, exact };
/// How a mini-batch estimates LW (solvers/estimator.h).
enum class Estimator { columns, signs };
/// reshuffle: every column once per pass. independent: each batch, and each vector of `signed`, drawn anew.
enum class Sampling { reshuffle, independent };
/// automatic: for mini-batches with Ritz steps Nystrom's vectors, or where a kernel is narrow those of the graph of
/// neighbors (solvers/graph_start.h), whichever are better; else random ones.
enum class Start { automatic, random, nystrom, neighbors };
/// How a mini-batch moves the block: ritz (solvers/minibatch_ritz.cpp), or adagrad, the paper's.
enum class StepRule { ritz, adagrad };
/// Which columns are drawn: by importance, all alike, as the paper does.
enum class ColumnChoice { importance, uniform };
/// The matrix the power method multiplies by: L, or (I + L)/2, whose spectrum is not negative.
enum class PowerOperator { plain, shifted };

struct SolverOptions {
  int64_t clusters = 8;  ///< k
  uint64_t seed = 0;

  // When to end: whichever comes first.
  std::optional<double> passes;       ///< columns evaluated / n; minibatch: 1; adagrad: at least 200 batches
  std::optional<int64_t> iterations;  ///< batches, products or Krylov steps
  std::optional<double> seconds;      ///< wall clock; the only limit that costs reproducibility
  std::optional<double> tolerance;    ///< largest residual |L w - theta w|, recomputed; exact: 1e-5
  std::optional<double> stall;        ///< minibatch: ends when a step moves the subspace by less (rms sine)

  Start start = Start::automatic;  ///< minibatch, exact
  bool keep_block = false;         ///< fills EigenPairs::block; exact then shows its Ritz vectors to the observer

  // minibatch
  StepRule step_rule = StepRule::ritz;
  std::optional<int64_t> guards;  ///< columns beyond k; ritz: 2k, adagrad: 0

  // minibatch with Ritz steps
  ColumnChoice columns = ColumnChoice::importance;  ///< of landmarks and batches
  bool control_variate = true;                      ///< used as far as it lowers the variance
  bool polish = true;                               ///< full products once the budget allows for them

  // minibatch with AdaGrad
  Estimator estimator = Estimator::columns;
  Sampling sampling = Sampling::reshuffle;
  int64_t batch_size = 0;             ///< m = l N_r; 0 = n/100, within [10, 2000]; ritz: as many as all before
  int64_t nonzeros = 2;               ///< l, non-zeros of each of the m / l vectors of `signed`
  std::optional<double> probability;  ///< p: components of a vector are non-zero independently, l = p n on average
  double step = 0;                    ///< lambda of AdaGrad; 0 = 1/sqrt(n)
  double epsilon = 1e-6;              ///< of AdaGrad

  // nystrom, as a method and as a start
  int64_t landmarks = 0;  ///< 0 = 500 as a method; as a start up to 2,000 with Ritz steps, else 10

  // power
  PowerOperator power_operator = PowerOperator::plain;

  // power, nystrom: columns to compute, of which the k leading ones are the result; 0 or below k means k.
  // exact: columns of a Krylov block; 0 = k + max(4, k/2). Below k, k columns come before any budget.
  int64_t block_size = 0;

  // exact
  int64_t basis_size = 0;  ///< columns kept before a restart; 0 = 5 blocks, or more where 64 MiB hold more

  StopToken stop;
};

/// At least once an iteration.
template <class T>
struct Progress {
  int64_t iteration = 0;
  double passes = 0;     ///< spent so far
  double fraction = 0;   ///< of the budget, or NaN where no end is in sight
  double objective = 0;  ///< trace(W'LW) of the first k columns, as estimated by this iteration
  double residual = std::numeric_limits<double>::quiet_NaN();  ///< the largest, where it is known
  MatrixView<const T> basis;                                   ///< W, own rows; may have more than k columns
};

/// Called at least once an iteration; returning false ends the solver, which returns what it has.
template <class T>
using Observer = std::function<bool(const Progress<T>&)>;

enum class Status {
  converged,  ///< the recomputed residuals are within the tolerance
  finished,   ///< did what was asked, and no tolerance was
  budget,     ///< the budget ended before the tolerance was met
  stalled,    ///< the arithmetic (or the step) moves the subspace no further, above the tolerance
  stopped,    ///< on request
};

/// What is known of eigenvalues that the solver may have missed. A residual proves an eigenpair, not a leading one.
struct Probe {
  int64_t vectors = 0;    ///< random ones
  int64_t products = 0;   ///< full products each went through
  double bound = 1;       ///< with this confidence no eigenvalue exceeds it that the block has missed
  double confidence = 0;  ///< 0.99
};

/// How an estimate of the subspace error was obtained.
enum class ErrorSource {
  none,
  batches,   ///< from the spread of the batches
  residuals  ///< residuals over the gap to the next Ritz value (Davis, Kahan)
};

/// One line of a solver's history.
struct TraceEntry {
  int64_t iteration = 0;
  double passes = 0;
  double objective = 0;
  double seconds = 0;
};

template <class T>
struct EigenPairs {
  std::vector<double> values;         ///< k, descending
  bool values_are_exact = false;      ///< Rayleigh quotients of `vectors`, not estimates
  Matrix<T> vectors;                  ///< own rows x k, orthonormal columns
  Matrix<T> block;                    ///< the whole computed block, own rows x k', where asked for (keep_block)
  std::vector<double> residuals;      ///< recomputed; empty where no full product was made with `vectors`
  bool residuals_are_bounds = false;  ///< upper bounds, from the full product before
  double subspace_error = std::numeric_limits<double>::quiet_NaN();  ///< an estimate of the rms sine
  ErrorSource subspace_error_source = ErrorSource::none;
  std::optional<Probe> probe;
  bool start_is_graph = false;  ///< minibatch with Ritz steps: neighbors knew more than landmarks (graph_start.h)
  Status status = Status::finished;
  int64_t iterations = 0;
  int64_t columns_evaluated = 0;  ///< a full product counts n
  int64_t full_products = 0;
  double flops = 0;  ///< by the paper's formulas (docs/methods.md)
  double seconds = 0;
  std::optional<Degrees> degrees;  ///< better ones than L has, to which the pairs belong, where L's are sampled
  std::vector<TraceEntry> trace;
  int64_t batch_size = 0;  ///< as chosen
  int64_t landmarks = 0;
  int64_t guards = 0;
  double control_variate = 0;  ///< its weight: 0 not used, 1 in full
};

std::string to_string(Method method);
std::string to_string(Status status);

/// Throws InvalidInput where an option of the method is out of range for n points: before any long work.
void check_options(Method method, int64_t n, const SolverOptions& options);

/// Calls the method's solver.
template <class T>
EigenPairs<T> solve(Method method, const Normalized<T>& L, const SolverOptions& options,
                    const Observer<T>& observer = {});

template <class T>
EigenPairs<T> solve_minibatch(const Normalized<T>& L, const SolverOptions& options, const Observer<T>& observer = {});
template <class T>
EigenPairs<T> solve_nystrom(const Normalized<T>& L, const SolverOptions& options, const Observer<T>& observer = {});
template <class T>
EigenPairs<T> solve_power(const Normalized<T>& L, const SolverOptions& options, const Observer<T>& observer = {});
template <class T>
EigenPairs<T> solve_exact(const Normalized<T>& L, const SolverOptions& options, const Observer<T>& observer = {});

}  // namespace mbsc
