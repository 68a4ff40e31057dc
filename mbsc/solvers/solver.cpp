// SPDX-License-Identifier: Apache-2.0
#include "mbsc/solvers/solver.h"

#include "mbsc/base/require.h"

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

template <class T>
EigenPairs<T> solve(Method method, const Normalized<T>& L, const SolverOptions& options, const Observer<T>& observer) {
  require(options.clusters >= 1 && options.clusters <= L.n(), "clusters must be in [1, {}]; got {}", L.n(),
          options.clusters);
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

template EigenPairs<float> solve(Method, const Normalized<float>&, const SolverOptions&, const Observer<float>&);
template EigenPairs<double> solve(Method, const Normalized<double>&, const SolverOptions&, const Observer<double>&);

}  // namespace mbsc
