// SPDX-License-Identifier: Apache-2.0
// out = A(X, Y) V between two sets of points, a_ij = kernel(x_i, y_j), by the fused tile: A never exists.
// Cost: a kernel value per pair; memory: a few blocks per thread and a packed chunk of Y.
// A row's result has the same bits whichever other rows are asked for, unless one of these is so far away that
// distances are summed up directly for all (kernel_form.h).
#pragma once

#include <cstdint>
#include <span>

#include "mbsc/affinity/kernel.h"
#include "mbsc/base/matrix.h"
#include "mbsc/base/points.h"
#include "mbsc/base/stop_token.h"

namespace mbsc {

struct RectangularPairs {
  /// Rows of X to work on, in the order of `out`.
  std::span<const int64_t> rows;
  /// For every column (row of Y) the row of `out` with which its value counts zero, -1 = none; empty: all count.
  std::span<const int64_t> zero;
};

/// V has a row for each of Y, `out` for each of pairs.rows. Throws Stopped.
template <class T>
void multiply_between(const Points& X, const Points& Y, const Kernel& kernel, const RectangularPairs& pairs,
                      MatrixView<const T> V, MatrixView<double> out, int threads, const StopToken& stop = {});

}  // namespace mbsc
