// SPDX-License-Identifier: Apache-2.0
// Block Krylov from a given block until the recomputed residuals of k pairs are within the tolerance, or the budget is
// spent. The exact solver consists of it; minibatch ends with it if a tolerance is given.
#pragma once

#include "mbsc/solvers/budget.h"
#include "mbsc/solvers/solver.h"

namespace mbsc {

template <class T>
struct KrylovStart {
  Matrix<T> block;     ///< orthonormal
  Matrix<T> image;     ///< L times the block if available, else empty; krylov_until() counts this product
  int64_t probes = 0;  ///< the number of random columns at the end of the block; see KrylovBasis::probe()
};

/// Writes the result to `pairs`, and adds the products, columns and operations to the counts in `pairs`.
template <class T>
void krylov_until(const Normalized<T>& L, const ClusterOptions& options, const Budget& budget, KrylovStart<T> start,
                  const Observer<T>& observer, EigenPairs<T>& pairs);

}  // namespace mbsc
