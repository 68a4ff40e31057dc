// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mbsc/affinity/normalized.h"
#include "mbsc/flow/run.h"
#include "mbsc/solvers/solver.h"

namespace mbsc {

/// Calls the solver of the plan. Its budget is reduced by `degree_columns`, the columns evaluated for sampled degrees.
/// Writes the values that the solver chose to the plan. Throws Stopped if the solver was stopped before its first
/// iteration.
Solution<float> solve_plan(const Normalized<float>& L, int64_t degree_columns, Run& run, Plan& plan);

/// Whether the solver made full products and the budget has room for one more. False if there is a limit on seconds or
/// iterations.
bool has_product_left(const EigenPairs<float>& pairs, int64_t degree_columns, const Plan& plan);

}  // namespace mbsc
