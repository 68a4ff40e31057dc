// SPDX-License-Identifier: Apache-2.0
// The importance of the columns of L. The variance of an estimate of LW from columns drawn with probability p_j is
// least for p_j ~ |L_:j| |W_j|. The degree pass yields an estimate of the first factor, |L_:j|^2 ~ q_j s_j^4 with
// q_j = sum_i a_ij^2 (exact if neighbors have the same degrees). Pairs of outliers carry leading eigenvectors that
// uniform sampling never finds. Their |L_:j| is near 1, a hundred times that of other points.
#pragma once

#include <cstdint>
#include <vector>

#include "mbsc/affinity/normalized.h"

namespace mbsc {

/// At most `count` distinct columns, ascending, for Nystrom. With `by_importance` the probability is half uniform, half
/// proportional to |L_:j|^2; otherwise it is uniform. The columns are drawn without replacement by priority sampling
/// (Duffield, Lund, Thorup, 2007): the smallest u_j / p_j, where u_j is a uniform number that depends only on (seed,
/// j). A point whose degree is so small that it would represent only itself (a(x, x) s^2 > 10^4) is excluded if there
/// are others.
template <class T>
std::vector<int64_t> important_columns(const Normalized<T>& L, int64_t count, bool by_importance, uint64_t seed);

/// The columns that a sample of `budget` columns always includes; the result flags own rows. They are those with
/// p_j budget >= 1 for p_j ~ |L_:j| |W_j| among the rest; if there are more than `most`, the largest. The rest may then
/// be drawn uniformly: compared with p_j this increases the variance only a little, and a uniform sample without
/// replacement becomes exact when it is complete.
template <class T>
std::vector<uint8_t> fixed_columns(const Normalized<T>& L, MatrixView<const T> W, int64_t budget, int64_t most);

}  // namespace mbsc
