// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mbsc/affinity/normalized.h"
#include "mbsc/flow/run.h"
#include "mbsc/solvers/solver.h"

namespace mbsc {

/// Calls the solver of the plan with what the budget has left after `degree_columns`, and writes back to the plan what
/// the solver chose. Throws Stopped if it was stopped before its first iteration.
Solution<float> solve_plan(const Normalized<float>& L, int64_t degree_columns, Run& run, Plan& plan);

/// Whether the budget has a full product left, after a solver that made some.
bool has_product_left(const EigenPairs<float>& pairs, int64_t degree_columns, const Plan& plan);

}  // namespace mbsc
