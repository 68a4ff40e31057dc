// SPDX-License-Identifier: Apache-2.0
// The methods of the benchmark. Each runs with a seed and several budgets; only `tolerance` ignores the budgets. A
// budget is a number of passes: columns evaluated / n. The degrees do not count; every other column counts.
//
//     paper           minibatch with the paper's settings; one run, measured when each budget is spent
//     nystrom         as many landmarks as the budget pays for, at most 2,000 (--landmarks)
//     power           3k random columns, full products
//     krylov-random   solve_exact from 3k random columns, full products, no certificate
//     krylov-nystrom  the same from the vectors of 500 landmarks and k random vectors
//     ours            minibatch with its defaults
//     tolerance       minibatch with --tolerance 1e-4, which recomputes its residuals; its passes are not limited, and
//                     its result is listed as budget 6
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "mbsc/solvers/solver.h"

namespace mbsc::bench {

/// The result of a method when a budget is spent (`tolerance`: when the tolerance is reached).
struct Outcome {
  double budget = 0;
  int64_t columns = 0;  ///< evaluated
  double seconds = 0;
  int64_t landmarks = 0;
  MatrixView<const float> vectors;  ///< n x k
  MatrixView<const float> block;    ///< n x k', k' >= k; its first k columns need not be `vectors`
  std::optional<double> largest_residual = std::nullopt;  ///< set if the method recomputes it
};

const std::vector<std::string>& method_names();

/// Calls `take` once for each budget (ascending) that is large enough for a result. The method `tolerance` ignores the
/// budgets and calls `take` once.
void run_method(const std::string& name, const Normalized<float>& L, int64_t clusters, uint64_t seed,
                const std::vector<double>& budgets, int64_t most_landmarks,
                const std::function<void(const Outcome&)>& take);

}  // namespace mbsc::bench
