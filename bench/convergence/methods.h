// SPDX-License-Identifier: Apache-2.0
// The methods of the benchmark. Each is run with a seed under budgets, in passes: columns evaluated / n after the
// degrees, every column counted.
//
//     paper           minibatch with the paper's settings, one run, looked at on its way
//     nystrom         as many landmarks as the budget pays for, at most 2,000 (--landmarks)
//     power           3k random columns, whole products
//     krylov-random   solve_exact from 3k random columns, whole products, no certificate
//     krylov-nystrom  the same from the vectors of 500 landmarks and k random ones
//     ours            minibatch as it comes
//     tolerance       minibatch with --tolerance 1e-4, which recomputes its residuals, as a budget of 6 passes
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "mbsc/solvers/solver.h"

namespace mbsc::bench {

/// What a method had when a budget was spent.
struct Outcome {
  double budget = 0;
  int64_t columns = 0;  ///< evaluated
  double seconds = 0;
  int64_t landmarks = 0;
  MatrixView<const float> vectors;  ///< n x k
  MatrixView<const float> block;    ///< n x k', k' >= k; its first k columns need not be those
  std::optional<double> largest_residual = std::nullopt;  ///< where the method recomputes it
};

const std::vector<std::string>& method_names();

/// Calls `take` once for each budget (ascending) under which the method has a result at all.
void run_method(const std::string& name, const Normalized<float>& L, int64_t clusters, uint64_t seed,
                const std::vector<double>& budgets, int64_t most_landmarks,
                const std::function<void(const Outcome&)>& take);

}  // namespace mbsc::bench
