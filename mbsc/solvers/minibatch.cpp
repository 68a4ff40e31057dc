// SPDX-License-Identifier: Apache-2.0
#include "mbsc/solvers/minibatch_ritz.h"

namespace mbsc {

template <class T>
EigenPairs<T> solve_minibatch(const Normalized<T>& L, const SolverOptions& options, const Observer<T>& observer) {
  return options.step_rule == StepRule::adagrad ? solve_minibatch_adagrad(L, options, observer)
                                                : solve_minibatch_ritz(L, options, observer);
}

template EigenPairs<float> solve_minibatch(const Normalized<float>&, const SolverOptions&, const Observer<float>&);
template EigenPairs<double> solve_minibatch(const Normalized<double>&, const SolverOptions&, const Observer<double>&);

}  // namespace mbsc
