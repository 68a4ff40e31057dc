// SPDX-License-Identifier: Apache-2.0
// What the mini-batches with Ritz steps spend on what.
#pragma once

#include "mbsc/solvers/solver.h"

namespace mbsc {

/// How a budget is divided.
struct RitzPlan {
  int64_t sampled = 0;   ///< columns for the start and the batches
  int64_t products = 0;  ///< full ones after that, at most
};

RitzPlan plan_ritz(int64_t n, const SolverOptions& options, int64_t batch_size);

/// Columns of the block, k and the guards.
int64_t block_columns(int64_t n, const SolverOptions& options);
/// Columns of the control variate: what memory has room for, at least those of the block.
int64_t model_rank(int64_t n, int64_t block);
/// Landmarks of the warm start within a budget of columns.
template <class T>
int64_t ritz_landmarks(int64_t n, int64_t budget, const SolverOptions& options);

}  // namespace mbsc
