// SPDX-License-Identifier: Apache-2.0
// One step of the block along the estimates of the batches:
//     T = T_model + b (B - T_model)        T_model = W' (model of L) W; B ~ W'LW from the batches; b is the share of
//                                          B - T_model that is not noise: one value off the diagonal, another on it
//     W <- (W U + H U diag(a / theta)) V   theta, U: the Ritz pairs of T; H = (I - WW')G with G ~ LW from the batches
// The second line is a power step. The factors `a` shrink each column according to its noise, and V orthonormalizes the
// columns (ritz_step.h).
#include <Eigen/Core>

#include "mbsc/base/float64.h"
#include "mbsc/solvers/minibatch/ritz_step.h"
#include "mbsc/solvers/minibatch/state.h"
#include "mbsc/solvers/rayleigh_ritz.h"

namespace mbsc::minibatch {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

MatrixXd symmetric_part(const MatrixXd& B) { return (B + B.transpose()) / 2; }

/// Improves the degrees by the columns evaluated so far, and rescales all data about L to the new degrees.
template <class T>
void improve_degrees(const Problem<T>& problem, State<T>& state, BatchMemory<T>& memory) {
  const MatrixXd M =
      take_degrees<T>(problem, state, state.tally->degrees(memory.others()), [&](const Rescaling<T>& by) {
        memory.rescale(by);
        if (state.model) state.model->rescale(by);
        rescale(by, state.kept);
      });
  memory.turn(M);
}

/// The estimate of W'LW from the batches, shrunk toward the model according to its noise.
template <class T>
MatrixXd shrink_to_model(const Problem<T>& problem, const State<T>& state,
                         const typename BatchMemory<T>::Estimate& estimate) {
  const MatrixXd B = symmetric_part(estimate.projected);
  if (!state.model) return B;
  Matrix<T> image(state.W.rows(), problem.columns);
  state.model->multiply(state.W, image);
  const MatrixXd prior = symmetric_part(gram<T>(problem.rows(), state.W, image));
  const MatrixXd off = B - prior;
  const VectorXd own = off.diagonal();
  MatrixXd shrunk = prior + shrinkage(off.squaredNorm() - own.squaredNorm(), estimate.projected_noise[0]) * off;
  shrunk.diagonal() = prior.diagonal() + shrinkage(own.squaredNorm(), estimate.projected_noise[1]) * own;
  return shrunk;
}

}  // namespace

template <class T>
bool step(const Problem<T>& problem, State<T>& state, BatchMemory<T>& memory) {
  const RowSpace& space = problem.rows();
  const Limits& limits = problem.options.limits;
  EigenPairs<T>& pairs = state.pairs;
  memory.end_batch(state.W, state.model_or_null());
  if (state.tally) improve_degrees(problem, state, memory);
  const auto estimate = memory.estimate(state.W, state.model_or_null());
  const RitzStep step = ritz_step(shrink_to_model(problem, state, estimate), gram<T>(space, estimate.H, estimate.H),
                                  estimate.noise, estimate.projected_noise.sum(), problem.k);
  state.theta = step.values;
  pairs.control_variate = estimate.control_variate;
  pairs.subspace_error = step.error;
  pairs.subspace_error_source = ErrorSource::batches;

  Matrix<T> next(state.W.rows(), problem.columns);
  multiply<T>(space, state.W, step.turn, next);
  subtract<T>(space, estimate.H, -step.add, next);
  orthonormalize_in_order<T>(space, next, problem.options.seed);
  pairs.flops += 12.0 * double(problem.n) * double(problem.columns) * double(problem.columns);
  const double moved = limits.stall ? subspace_error<T>(space, state.W, next) : 0;
  memory.turn(gram<T>(space, state.W, next));
  state.W = std::move(next);
  if (!limits.stall || !step.is_heard || moved >= *limits.stall) return true;
  pairs.status = limits.tolerance ? Status::stalled : Status::finished;
  state.is_stalled = true;
  return false;
}

template <class T>
MatrixXd take_degrees(const Problem<T>& problem, State<T>& state, Degrees degrees,
                      const std::function<void(const Rescaling<T>&)>& rescale_others) {
  const RowSpace& space = problem.rows();
  if (!degrees.sampled()) state.tally.reset();
  auto better = std::make_unique<Normalized<T>>(problem.given.with(std::move(degrees)));
  const Rescaling<T> by(state.L(problem), *better);
  by.divide_rows(state.W);
  Matrix<T> next = state.W;
  orthonormalize_in_order<T>(space, next, problem.options.seed);
  const MatrixXd cross = gram<T>(space, state.W, next);
  const MatrixXd M = least_squares(gram<T>(space, state.W, state.W), cross);
  state.W = std::move(next);
  rescale_others(by);
  state.better = std::move(better);
  return M;
}

#define MBSC_INSTANTIATE(T)                                             \
  template bool step(const Problem<T>&, State<T>&, BatchMemory<T>&);    \
  template MatrixXd take_degrees(const Problem<T>&, State<T>&, Degrees, \
                                 const std::function<void(const Rescaling<T>&)>&);
MBSC_INSTANTIATE(float)
MBSC_FLOAT64(MBSC_INSTANTIATE(double))
#undef MBSC_INSTANTIATE

}  // namespace mbsc::minibatch
