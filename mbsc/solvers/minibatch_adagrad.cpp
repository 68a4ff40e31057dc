// SPDX-License-Identifier: Apache-2.0
// Method: Mini-Batch Spectral Clustering as in the paper: stochastic gradient ascent of trace(W'LW), W'W = I.
// Reference: Han, Filippone, "Mini-Batch Spectral Clustering", Algorithms 1 and 2 (whose signs descend; we ascend).
// Algorithm: G an unbiased estimate of LW from m columns (estimator.h);  H = (I - WW')G;  an AdaGrad step along H
//   (adagrad.h);  W <- Q of a QR factorization. With guards W has more columns than k, and the k leading Ritz vectors
//   of the mean of W'G are the result.
// Cost of an iteration: n m kernel values, 2nkm + 6nk^2 operations; memory three n x k arrays.
// Exact in the limit of the iterations; how near it is, only a full product tells (`tolerance`).
#include <cmath>

#include "mbsc/base/require.h"
#include "mbsc/solvers/adagrad.h"
#include "mbsc/solvers/budget.h"
#include "mbsc/solvers/estimator.h"
#include "mbsc/solvers/minibatch_ritz.h"
#include "mbsc/solvers/ritz_plan.h"
#include "mbsc/solvers/nystrom_basis.h"
#include "mbsc/solvers/rayleigh_ritz.h"

namespace mbsc {
namespace {

using Eigen::MatrixXd;

/// The mean of W'G over about the last pass, from which the eigenvalues are estimated without a product.
class RitzAverage {
 public:
  void add(const MatrixXd& B, double share_of_pass) {
    // W turns as it goes: older estimates fade at the rate at which a pass goes by.
    const double weight = mean_.size() == 0 ? 1 : std::max(share_of_pass, 1.0 / double(++count_ + 1));
    if (mean_.size() == 0) mean_ = MatrixXd::Zero(B.rows(), B.cols());
    mean_ += std::min(1.0, weight) * (B - mean_);
  }
  const MatrixXd& mean() const { return mean_; }

 private:
  MatrixXd mean_;
  int64_t count_ = 0;
};

}  // namespace

template <class T>
EigenPairs<T> solve_minibatch_adagrad(const Normalized<T>& L, const SolverOptions& options,
                                      const Observer<T>& observer) {
  const RowSpace& space = L.rows();
  const int64_t n = L.n(), k = options.clusters, columns = block_columns(n, options);
  const BatchPlan plan(n, options);
  std::optional<double> passes = options.passes;
  bool safety_net = false;
  if (!passes && !options.iterations && !options.seconds) {
    // One pass, on small data what 200 iterations take. A tolerance alone may take long, but not for ever.
    passes = std::max(1.0, 200.0 * double(plan.batch_size()) / double(n));
    if (options.tolerance) *passes *= 100;
    safety_net = options.tolerance.has_value();
  }
  const Budget budget(n, options, passes, L.comm(), safety_net);

  EigenPairs<T> pairs;
  pairs.batch_size = plan.batch_size();
  pairs.guards = columns - k;
  pairs.status = options.tolerance ? Status::budget : Status::finished;
  Matrix<T> W = start_block(L, columns, columns, options, pairs), previous;
  Matrix<T> G(space.local_rows(), columns);
  AdaGrad<T> step(space, columns, options.step > 0 ? options.step : 1 / std::sqrt(double(n)), options.epsilon);
  RitzAverage ritz;
  int64_t next_check = n, sampled = 0;
  const auto check = [&] {  // recomputes the residuals of W
    pairs.vectors = W;
    certify(L, options.stop, k, pairs);
    next_check = sampled + n;
    return largest_residual(pairs) <= *options.tolerance;
  };

  try {
    for (bool go_on = true; go_on && (pairs.iterations == 0 || !budget.spent(sampled, pairs.iterations));) {
      const Batch<T> batch = make_batch<T>(plan, pairs.iterations, space, W);
      L.multiply_columns(batch.columns, batch.coefficients, G, options.stop);
      L.add_exact(W, G);
      const MatrixXd B = gram<T>(space, W, G);
      subtract<T>(space, W, B, G);  // G is now H
      if (options.stall) previous = W;
      step.ascend(G, W);
      orthonormalize_or_refill<T>(space, W, options, pairs.iterations);

      ++pairs.iterations;
      sampled += int64_t(batch.columns.size());
      pairs.columns_evaluated += int64_t(batch.columns.size());
      pairs.flops += 2.0 * double(n * columns) * double(batch.columns.size()) + 6.0 * double(n * columns * columns) -
                     double(columns * columns);
      ritz.add(B, double(batch.columns.size()) / double(n));
      pairs.residuals.clear();  // W has moved on
      go_on = observe(L, options, observer,
                      Progress<T>{pairs.iterations, double(pairs.columns_evaluated) / double(n),
                                  budget.fraction(sampled, pairs.iterations), eigen_descending(B).values.head(k).sum(),
                                  std::nan(""), W},
                      budget.seconds(), pairs);
      if (!go_on) pairs.status = Status::stopped;
      if (go_on && options.stall && subspace_error<T>(space, previous, W) < *options.stall) {
        pairs.status = options.tolerance ? Status::stalled : Status::finished;
        break;
      }
      if (go_on && options.tolerance && sampled >= next_check && check()) {
        pairs.status = Status::converged;
        break;
      }
    }
    // The certificate of the last W, where one was asked for.
    if (options.tolerance && pairs.residuals.empty() && pairs.status != Status::stopped && check())
      pairs.status = Status::converged;
  } catch (const Stopped&) {
    pairs.status = Status::stopped;
  }
  if (pairs.residuals.empty()) {  // no product with this W: rotate it by what the batches said
    const MatrixXd B = ritz.mean().size() > 0 ? ritz.mean() : MatrixXd::Zero(columns, columns);
    const SmallEigen eigen = eigen_descending(B);
    pairs.vectors = Matrix<T>(space.local_rows(), k);
    multiply<T>(space, W, eigen.vectors.leftCols(k), pairs.vectors);
    pairs.values.assign(eigen.values.data(), eigen.values.data() + k);
    pairs.values_are_exact = false;
  }
  if (options.keep_block) pairs.block = std::move(W);
  pairs.seconds = budget.seconds();
  return pairs;
}

template EigenPairs<float> solve_minibatch_adagrad(const Normalized<float>&, const SolverOptions&,
                                                   const Observer<float>&);
template EigenPairs<double> solve_minibatch_adagrad(const Normalized<double>&, const SolverOptions&,
                                                    const Observer<double>&);

}  // namespace mbsc
