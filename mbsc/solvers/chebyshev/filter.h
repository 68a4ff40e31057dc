// SPDX-License-Identifier: Apache-2.0
// A Chebyshev filter of a block, and Rayleigh-Ritz on it.
//
// The polynomial T_j((x - c)/e), c = (cut - 1)/2, e = (cut + 1)/2, is at most 1 on [-1, cut] and grows fast above cut. So
// the filter damps the eigenvectors below `cut` relative to those above it. The recurrence is scaled to be 1 at x = 1
// (Zhou, Saad, Tiago, Chelikowsky, "Self-consistent-field calculations using Chebyshev-filtered subspace iteration",
// 2006), so nothing overflows.
// Cost: one product for each degree; memory: three blocks.
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

/// W <- p(L) W, with a polynomial p of this degree, at least 1. -1 < cut < 1.
template <class T>
void filter_block(const RowSpace& space, const Multiply<T>& multiply, double cut, int64_t degree, Matrix<T>& W);

/// The degree at which the filter grows by `factor` at `value` > cut, within [least, most].
int64_t filter_degree(double value, double cut, double factor, int64_t least, int64_t most);

/// The polynomial at `low` divided by the polynomial at `high`, both at most 1 and low <= high: one filter leaves this
/// share of an error that belongs to `low`.
double filter_ratio(double low, double high, double cut, int64_t degree);

/// Ritz values (descending) of the orthonormal block W; W becomes the Ritz vectors and `image` their product.
template <class T>
Eigen::VectorXd rotate_to_ritz(const RowSpace& space, const Multiply<T>& multiply, Matrix<T>& W, Matrix<T>& image);

}  // namespace mbsc
