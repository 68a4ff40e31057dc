// SPDX-License-Identifier: Apache-2.0
#include "mbsc/solvers/solver.h"

#include <cmath>

#include "mbsc/base/require.h"
#include "mbsc/solvers/estimator.h"
#include "mbsc/solvers/krylov_sizes.h"
#include "mbsc/solvers/ritz_plan.h"
#include "mbsc/solvers/nystrom_basis.h"

namespace mbsc {

std::string to_string(Method method) {
  switch (method) {
    case Method::minibatch:
      return "minibatch";
    case Method::nystrom:
      return "nystrom";
    case Method::power:
      return "power";
    case Method::exact:
      return "exact";
  }
  return {};
}

std::string to_string(Status status) {
  switch (status) {
    case Status::converged:
      return "converged";
    case Status::finished:
      return "finished";
    case Status::budget:
      return "budget spent";
    case Status::stalled:
      return "stalled";
    case Status::stopped:
      return "stopped";
  }
  return {};
}

void check_options(Method method, int64_t n, const SolverOptions& options) {
  require(options.clusters >= 1 && options.clusters <= n, "clusters must be in [1, {}]; got {}", n, options.clusters);
  const auto positive = [](const char* name, std::optional<double> value) {
    require(!value || (std::isfinite(*value) && *value > 0), "{} must be positive; got {}", name, value.value_or(0));
  };
  positive("passes", options.passes);
  positive("seconds", options.seconds);
  positive("tolerance", options.tolerance);
  require(!options.stall || *options.stall >= 0, "stall must be at least 0; got {}", options.stall.value_or(0));
  require(!options.iterations || *options.iterations >= 1, "iterations must be at least 1; got {}",
          options.iterations.value_or(0));
  require(std::isfinite(options.step) && options.step >= 0, "step must be positive; got {}", options.step);
  require(std::isfinite(options.epsilon) && options.epsilon > 0, "epsilon must be positive; got {}", options.epsilon);
  require(options.start != Start::neighbors || (method == Method::minibatch && options.step_rule == StepRule::ritz),
          "the start `neighbors` goes with minibatch and the step rule ritz only");
  if (method == Method::minibatch) {
    BatchPlan(n, options);
    block_columns(n, options);
    landmark_count(n, options, true);
    if (options.step_rule == StepRule::ritz) {
      require(options.estimator == Estimator::columns, "the estimator `signed` needs the step rule adagrad");
      require(options.sampling == Sampling::reshuffle, "sampling `independent` needs the step rule adagrad");
      require(!options.tolerance || options.polish, "tolerance needs polish: residuals come from its full products");
    }
  }
  if (method == Method::nystrom) landmark_count(n, options, false);
  if (method == Method::exact) {
    krylov_sizes(n, options);
    if (options.start == Start::nystrom) landmark_count(n, options, true);
  } else {
    require(options.block_size >= 0 && options.block_size <= n, "block_size must be in [1, {}]; got {}", n,
            options.block_size);
  }
}

namespace {

template <class T>
EigenPairs<T> call_solver(Method method, const Normalized<T>& L, const SolverOptions& options,
                          const Observer<T>& observer) {
  switch (method) {
    case Method::minibatch:
      return solve_minibatch(L, options, observer);
    case Method::nystrom:
      return solve_nystrom(L, options, observer);
    case Method::power:
      return solve_power(L, options, observer);
    case Method::exact:
      return solve_exact(L, options, observer);
  }
  throw InvalidInput("unknown method");
}

}  // namespace

template <class T>
EigenPairs<T> solve(Method method, const Normalized<T>& L, const SolverOptions& options, const Observer<T>& observer) {
  check_options(method, L.n(), options);
  if (L.comm().size() == 1) return call_solver(method, L, options, observer);
  // Where ranks must stop together, they look at their tokens together, and not within a product.
  SolverOptions together = options;
  together.stop = {};
  return call_solver<T>(method, L, together, [&](const Progress<T>& progress) {
    return (!observer || observer(progress)) && !options.stop.stop_requested();
  });
}

template EigenPairs<float> solve(Method, const Normalized<float>&, const SolverOptions&, const Observer<float>&);
template EigenPairs<double> solve(Method, const Normalized<double>&, const SolverOptions&, const Observer<double>&);

}  // namespace mbsc
