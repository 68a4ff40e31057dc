// SPDX-License-Identifier: Apache-2.0
// out = A(X, Y) V with a_ij = kernel(x_i, y_j), for two sets of points X and Y. The matrix A is never stored.
// Cost: one kernel value per pair. Memory: a few blocks per thread and one packed chunk of Y.
// The bits of a result row do not depend on the other points of X, with one exception: if one of these is very far
// away, all distances are computed as sums of squared differences (kernel_form.h).
#pragma once

#include <cstdint>
#include <span>

#include "mbsc/affinity/kernel/kernel.h"
#include "mbsc/input.h"
#include "mbsc/options.h"

namespace mbsc {

struct RectangularPairs {
  /// The rows of X to multiply, in the order of `out`.
  std::span<const int64_t> rows;
  /// For each row of Y: the row of `out` in which its kernel value counts as zero, or -1 for none. Empty: none at all.
  std::span<const int64_t> zero;
};

/// out = A(X, Y) V. V has a row for each row of Y; `out` has a row for each of pairs.rows. Throws Stopped after a stop
/// request.
template <class T>
void multiply_between(const Points& X, const Points& Y, const Kernel& kernel, const RectangularPairs& pairs,
                      MatrixView<const T> V, MatrixView<double> out, int threads, const StopToken& stop = {});

}  // namespace mbsc
