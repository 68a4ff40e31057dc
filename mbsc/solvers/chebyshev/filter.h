// SPDX-License-Identifier: Apache-2.0
// A Chebyshev filter of a block, and Rayleigh-Ritz on it.
//
// The filter is p(L), where p is the Chebyshev polynomial T_j((x - c)/e) with c = (cut - 1)/2 and e = (cut + 1)/2. |p|
// is at most 1 on [-1, cut], and p grows fast above `cut`. So the filter damps the eigenvectors below `cut` relative to
// those above it. The recurrence is scaled so that p(1) = 1 (Zhou, Saad, Tiago, Chelikowsky, "Self-consistent-field
// calculations using Chebyshev-filtered subspace iteration", 2006), so nothing overflows.
// Cost: one product per degree. Memory: three blocks.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <vector>

#include "mbsc/input.h"
#include "mbsc/linalg/row_space.h"

namespace mbsc {

/// out = L V for a symmetric L with eigenvalues in [-1, 1].
template <class T>
using Multiply = std::function<void(MatrixView<const T> V, MatrixView<T> out)>;

/// W <- p(L) W. The degree of p must be at least 1, and -1 < cut < 1.
template <class T>
void filter_block(const RowSpace& space, const Multiply<T>& multiply, double cut, int64_t degree, Matrix<T>& W);

/// The degree at which the unscaled polynomial reaches `factor` at `value` > cut, limited to [least, most].
int64_t filter_degree(double value, double cut, double factor, int64_t least, int64_t most);

/// p(low) / p(high), for low <= high <= 1. If the eigenvectors of value `high` are wanted, one filter leaves this share
/// of an error along an eigenvector of value `low`.
double filter_ratio(double low, double high, double cut, int64_t degree);

/// Returns the Ritz values (descending) of the orthonormal block W. W becomes the Ritz vectors and `image` becomes L W.
template <class T>
Eigen::VectorXd rotate_to_ritz(const RowSpace& space, const Multiply<T>& multiply, Matrix<T>& W, Matrix<T>& image);

}  // namespace mbsc
