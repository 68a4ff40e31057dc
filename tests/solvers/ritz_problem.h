// SPDX-License-Identifier: Apache-2.0
// The problem that the tests of mini-batches with Ritz steps share: three clouds, with all eigenpairs known.
#pragma once

#include "mbsc/solvers/solver.h"
#include "tests/solvers/dense_problem.h"

namespace mbsc::testing {

constexpr int64_t n = 600, k = 3;

inline const DenseProblem<double>& problem() {
  static const DenseProblem<double> p(clouds<double>(n, k, 5.0, 1), 0.5);
  return p;
}

inline ClusterOptions options_for(double passes, uint64_t seed = 3, int64_t clusters = k) {
  ClusterOptions options;
  options.clusters = clusters;
  options.limits.passes = passes;
  options.seed = seed;
  return options;
}

}  // namespace mbsc::testing
