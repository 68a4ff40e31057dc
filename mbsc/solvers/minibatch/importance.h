// SPDX-License-Identifier: Apache-2.0
// The importance of the columns of L. If columns are drawn with probability p_j to estimate LW, the variance is least
// for p_j proportional to |L_:j| |W_j|. The degree pass yields an estimate of the first factor: |L_:j|^2 ~ q_j s_j^4,
// with q_j = sum_i a_ij^2 and s_j = (d_j + tau)^-1/2. (Without regularization, this is exact if neighbors have the same
// degrees.) Two outliers near each other may carry a leading eigenvector that uniform sampling never finds. Their
// columns have |L_:j| near 1, a hundred times that of other points.
#pragma once

#include <cstdint>
#include <vector>

#include "mbsc/affinity/normalized.h"

namespace mbsc {

/// At most `count` distinct columns, ascending, for Nystrom. If `by_importance`, the probability p_j is half uniform,
/// half proportional to |L_:j|^2; otherwise it is uniform. The columns are drawn without replacement by priority
/// sampling (Duffield, Lund, Thorup, 2007): those with the smallest u_j / p_j, where u_j is a uniform random number
/// that depends only on (seed, j). A point is excluded if its degree d is so small that it would represent only
/// itself (a(x, x) / d > 10^4), unless all points are like this.
template <class T>
std::vector<int64_t> important_columns(const Normalized<T>& L, int64_t count, bool by_importance, uint64_t seed);

/// The columns that a sample of `budget` columns always includes, as flags of own rows. They are the columns with
/// p_j * budget > 1, where p_j is proportional to |L_:j| |W_j|. Each time some are found, p_j and the budget are
/// computed again for the remaining columns. If more than `most` columns are found, only those with the largest |L_:j|
/// |W_j| are used. All other columns may then be drawn uniformly. Compared with p_j, this increases the variance only a
/// little, and a uniform sample without replacement becomes exact when it is complete.
template <class T>
std::vector<uint8_t> fixed_columns(const Normalized<T>& L, MatrixView<const T> W, int64_t budget, int64_t most);

}  // namespace mbsc
