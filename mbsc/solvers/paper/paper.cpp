// SPDX-License-Identifier: Apache-2.0
// Method: Mini-Batch Spectral Clustering as in the paper: stochastic gradient ascent of trace(W'LW), W'W = I.
// Reference: Han, Filippone, "Mini-Batch Spectral Clustering", Algorithms 1 and 2. As printed, these descend; this code
//   ascends.
// Algorithm: G is an unbiased estimate of LW from m columns (estimator.h);  H = (I - WW')G;  an AdaGrad step along H
//   (adagrad.h);  W <- Q of a QR factorization. If there are guards, W has more than k columns, and the result is the k
//   leading Ritz vectors of the mean of W'G.
// Cost of an iteration: n m kernel values, 2nkm + 6nk^2 operations. Memory: three n x k arrays.
// The result is exact in the limit of many iterations. Only a full product shows how close it is (`tolerance`).
#include "mbsc/solvers/paper/paper.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "mbsc/base/float64.h"
#include "mbsc/base/require.h"
#include "mbsc/solvers/batch_size.h"
#include "mbsc/solvers/budget.h"
#include "mbsc/solvers/nystrom/nystrom_start.h"
#include "mbsc/solvers/paper/adagrad.h"
#include "mbsc/solvers/paper/estimator.h"
#include "mbsc/solvers/rayleigh_ritz.h"
#include "mbsc/solvers/registry.h"

namespace mbsc {
namespace {

using Eigen::MatrixXd;

/// Sets batch_size, the m of estimator.h. If `vectors` (N_r) is given, m = l N_r. If `probability` (p) is given too,
/// l = p n on average.
void resolve_batch_size(int64_t n, ClusterOptions& options) {
  const AdaGradOptions& adagrad = options.adagrad;
  if (!adagrad.vectors) {
    options.batch_size = options.batch_size.value_or(automatic_batch_size(n));
    return;
  }
  const int64_t vectors = *adagrad.vectors;
  require(vectors <= n, "vectors must be in [1, {}]; got {}", n, vectors);
  require(adagrad.nonzeros <= n, "nonzeros must be in [1, {}]; got {}", n, adagrad.nonzeros);
  const int64_t size = adagrad.probability
                           ? std::max<int64_t>(1, std::llround(double(vectors) * *adagrad.probability * double(n)))
                           : vectors * adagrad.nonzeros;
  require(options.batch_size.value_or(size) == size, "batch_size must be nonzeros * vectors = {}; got {}", size,
          options.batch_size.value_or(0));
  options.batch_size = size;
}

void resolve_paper(int64_t n, ClusterOptions& options) {
  resolve_start(n, options);
  resolve_batch_size(n, options);
  BatchPlan(n, options);
  options.guards = std::min(n - options.clusters, options.guards.value_or(0));
  options.adagrad.step = options.adagrad.step.value_or(1 / std::sqrt(double(n)));
}

SolverMemory paper_memory(int64_t n, int64_t input_bytes, const ClusterOptions& options) {
  const int64_t block = options.clusters + *options.guards;
  const Limits& limits = options.limits;
  const int64_t columns = 6 * block + (limits.tolerance ? 3 * block : 0) + (limits.stall ? block : 0);
  return with_start(n, input_bytes, options, {.columns = columns, .block = block});
}

/// By default one pass, or 200 iterations if these take longer (small data). If only a tolerance is given, the run may
/// take 100 times as long.
Budget make_budget(int64_t n, const ClusterOptions& options, const Comm& comm) {
  const Limits& limits = options.limits;
  if (limits.passes || limits.iterations || limits.seconds) return Budget(n, limits, limits.passes, comm);
  const double passes = std::max(1.0, 200.0 * double(*options.batch_size) / double(n));
  return Budget(n, limits, limits.tolerance ? 100 * passes : passes, comm, limits.tolerance.has_value());
}

/// The mean of W'G over about the last pass. It yields estimates of the eigenvalues without a full product.
class RitzAverage {
 public:
  void add(const MatrixXd& B, double share_of_pass) {
    // W rotates during the run: the weight of older estimates decays over a pass.
    const double weight = mean_.size() == 0 ? 1 : std::max(share_of_pass, 1.0 / double(++count_ + 1));
    if (mean_.size() == 0) mean_ = MatrixXd::Zero(B.rows(), B.cols());
    mean_ += std::min(1.0, weight) * (B - mean_);
  }
  const MatrixXd& mean() const { return mean_; }

 private:
  MatrixXd mean_;
  int64_t count_ = 0;
};

/// The block W and all other state that is carried from one iteration to the next.
template <class T>
struct State {
  Matrix<T> W;
  Matrix<T> G;  ///< the estimate of LW, then H
  AdaGrad<T> adagrad;
  RitzAverage ritz;
  int64_t sampled = 0;     ///< columns sampled so far
  int64_t next_check = 0;  ///< residuals are recomputed when this many columns were sampled
  Solution<T> pairs;
};

/// One iteration: sample columns, multiply, project, step, retract. Returns W'G.
template <class T>
MatrixXd iterate(const Normalized<T>& L, const BatchPlan& plan, const ClusterOptions& options, State<T>& state) {
  const RowSpace& space = L.rows();
  Matrix<T>&W = state.W, &G = state.G;
  const Batch<T> batch = make_batch<T>(plan, state.pairs.iterations, space, W);
  L.multiply_columns(batch.columns, batch.coefficients, G, options.stop);
  L.add_exact(W, G);
  const MatrixXd B = gram<T>(space, W, G);
  subtract<T>(space, W, B, G);  // G is now H = (I - WW')G
  state.adagrad.ascend(G, W);
  orthonormalize_or_refill<T>(space, W, options.seed, state.pairs.iterations);

  const auto count = int64_t(batch.columns.size());
  const int64_t n = L.n(), columns = W.cols();
  ++state.pairs.iterations;
  state.sampled += count;
  state.pairs.columns_evaluated += count;
  state.pairs.flops +=
      2.0 * double(n * columns) * double(count) + 6.0 * double(n * columns * columns) - double(columns * columns);
  state.pairs.residuals.clear();  // they belonged to the previous W
  state.ritz.add(B, double(count) / double(n));
  return B;
}

/// Recomputes the residuals of W; returns whether they are within the tolerance.
template <class T>
bool check_residuals(const Normalized<T>& L, const ClusterOptions& options, State<T>& state) {
  state.pairs.vectors = state.W;
  certify(L, options.stop, options.clusters, state.pairs);
  state.next_check = state.sampled + L.n();
  return largest_residual(state.pairs) <= *options.limits.tolerance;
}

/// Iterates until a limit, the tolerance, a stall or the observer ends the run.
template <class T>
Status ascend(const Normalized<T>& L, const ClusterOptions& options, const Budget& budget, const Observer<T>& observer,
              State<T>& state) {
  const BatchPlan plan(L.n(), options);
  const Limits& limits = options.limits;
  EigenPairs<T>& pairs = state.pairs;
  while (pairs.iterations == 0 || !budget.spent(state.sampled, pairs.iterations)) {
    const Matrix<T> previous = limits.stall ? state.W : Matrix<T>();
    const MatrixXd B = iterate(L, plan, options, state);
    const Progress<T> progress{pairs.iterations,
                               double(pairs.columns_evaluated) / double(L.n()),
                               budget.fraction(state.sampled, pairs.iterations),
                               eigen_descending(B).values.head(options.clusters).sum(),
                               std::nan(""),
                               state.W};
    if (!observe(options, observer, progress, budget.seconds(), pairs)) return Status::stopped;
    if (limits.stall && subspace_error<T>(L.rows(), previous, state.W) < *limits.stall) {
      if (!limits.tolerance) return Status::finished;
      return check_residuals(L, options, state) ? Status::converged : Status::stalled;
    }
    if (limits.tolerance && state.sampled >= state.next_check && check_residuals(L, options, state))
      return Status::converged;
  }
  if (!limits.tolerance) return Status::finished;
  const bool is_certified = !pairs.residuals.empty();
  return !is_certified && check_residuals(L, options, state) ? Status::converged : Status::budget;
}

}  // namespace

template <class T>
Solution<T> solve_paper(const Normalized<T>& L, const ClusterOptions& given, const Observer<T>& observer) {
  ClusterOptions options = given;
  resolve_paper(L.n(), options);
  const RowSpace& space = L.rows();
  const int64_t k = options.clusters, columns = k + *options.guards;
  const Budget budget = make_budget(L.n(), options, L.comm());
  Solution<T> pairs;
  pairs.batch_size = *options.batch_size;
  pairs.guards = *options.guards;
  Matrix<T> W = start_block(L, columns, columns, options, pairs);
  State<T> state{std::move(W),
                 Matrix<T>(space.local_rows(), columns),
                 AdaGrad<T>(space, columns, *options.adagrad.step, options.adagrad.epsilon),
                 {},
                 0,
                 L.n(),
                 std::move(pairs)};
  try {
    state.pairs.status = ascend(L, options, budget, observer, state);
  } catch (const Stopped&) {
    state.pairs.status = Status::stopped;
  }
  pairs = std::move(state.pairs);
  if (pairs.residuals.empty()) {  // there was no full product with this W: rotate it by the mean of W'G
    const MatrixXd B = state.ritz.mean().size() > 0 ? state.ritz.mean() : MatrixXd::Zero(columns, columns);
    const SmallEigen eigen = eigen_descending(B);
    pairs.vectors = Matrix<T>(space.local_rows(), k);
    multiply<T>(space, state.W, eigen.vectors.leftCols(k), pairs.vectors);
    pairs.values.assign(eigen.values.data(), eigen.values.data() + k);
    pairs.values_are_exact = false;
  }
  if (options.keep_block) pairs.block = std::move(state.W);
  pairs.seconds = budget.seconds();
  return pairs;
}

const SolverRow& paper_solver() {
  const std::vector<std::string> own{"adagrad"};
  static const SolverRow row{
      .name = "adagrad",
      .method = "minibatch",
      .step_rule = StepRule::adagrad,
      .options = {word_option(
                      "estimator", words::estimators, [](auto& o) -> auto& { return o.adagrad.estimator; })
                      .for_methods(own)
                      .help("how a batch estimates L W: from its columns, or from sparse vectors of random signs"),
                  word_option(
                      "sampling", words::samplings, [](auto& o) -> auto& { return o.adagrad.sampling; })
                      .for_methods(own)
                      .help("draw every column once per pass, or draw each batch independently"),
                  integer_option(
                      "nonzeros", [](auto& o) -> auto& { return o.adagrad.nonzeros; })
                      .at_least(1)
                      .for_methods(own)
                      .help("estimator signed: l, the non-zeros of each vector"),
                  integer_option(
                      "vectors", [](auto& o) -> auto& { return o.adagrad.vectors; })
                      .at_least(1)
                      .for_methods(own)
                      .in_python("")
                      .automatically("batch_size / nonzeros")
                      .help("estimator signed: the number of vectors of a batch; sets batch_size = nonzeros * vectors"),
                  real_option(
                      "probability", [](auto& o) -> auto& { return o.adagrad.probability; })
                      .positive()
                      .for_methods(own)
                      .automatically("exactly l non-zeros")
                      .help("estimator signed: p, the probability that a component is not zero; replaces nonzeros"),
                  real_option(
                      "step", [](auto& o) -> auto& { return o.adagrad.step; })
                      .positive()
                      .for_methods(own)
                      .automatically("1/sqrt(n)")
                      .help("lambda, the length of an AdaGrad step"),
                  real_option(
                      "epsilon", [](auto& o) -> auto& { return o.adagrad.epsilon; })
                      .positive()
                      .for_methods(own)
                      .help("epsilon of AdaGrad")},
      .resolve = resolve_paper,
      .memory = paper_memory,
      .solve = solve_paper<float>,
      MBSC_FLOAT64(.solve_double = solve_paper<double>)};
  return row;
}

template Solution<float> solve_paper(const Normalized<float>&, const ClusterOptions&, const Observer<float>&);
MBSC_FLOAT64(template Solution<double> solve_paper(const Normalized<double>&, const ClusterOptions&,
                                                   const Observer<double>&);)

}  // namespace mbsc
