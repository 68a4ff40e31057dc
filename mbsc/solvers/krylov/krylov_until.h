// SPDX-License-Identifier: Apache-2.0
// Block Krylov from a first block until the recomputed residuals of k pairs are within the tolerance, or the budget is
// spent. The exact solver uses it from its start block; minibatch ends with it if a tolerance is given.
#pragma once

#include "mbsc/solvers/budget.h"
#include "mbsc/solvers/solver.h"

namespace mbsc {

template <class T>
struct KrylovStart {
  Matrix<T> block;     ///< orthonormal
  Matrix<T> image;     ///< L times the block if available, else empty; krylov_until() counts this product
  int64_t probes = 0;  ///< this many last columns of the block are random, to find what the others miss
};

/// Adds its counts (products, columns, ...) to those in `pairs`.
template <class T>
void krylov_until(const Normalized<T>& L, const ClusterOptions& options, const Budget& budget, KrylovStart<T> start,
                  const Observer<T>& observer, EigenPairs<T>& pairs);

}  // namespace mbsc
