// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mbsc/solvers/solver.h"

namespace mbsc {

template <class T>
EigenPairs<T> solve_minibatch_ritz(const Normalized<T>& L, const SolverOptions& options, const Observer<T>& observer);
template <class T>
EigenPairs<T> solve_minibatch_adagrad(const Normalized<T>& L, const SolverOptions& options,
                                      const Observer<T>& observer);

}  // namespace mbsc
