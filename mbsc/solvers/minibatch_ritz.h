// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mbsc/solvers/solver.h"

namespace mbsc {

/// Landmarks of the warm start within a budget of columns.
template <class T>
int64_t ritz_landmarks(int64_t n, int64_t budget, const SolverOptions& options);
/// Columns of the control variate: what memory has room for, at least those of the block.
int64_t model_rank(int64_t n, int64_t block);
/// Columns of the block, k and the guards.
int64_t block_columns(int64_t n, const SolverOptions& options);

template <class T>
EigenPairs<T> solve_minibatch_ritz(const Normalized<T>& L, const SolverOptions& options, const Observer<T>& observer);
template <class T>
EigenPairs<T> solve_minibatch_adagrad(const Normalized<T>& L, const SolverOptions& options,
                                      const Observer<T>& observer);

}  // namespace mbsc
