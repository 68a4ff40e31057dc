// SPDX-License-Identifier: Apache-2.0
// Which columns of L matter. The variance of an estimate of LW from columns drawn with probability p_j is least for
// p_j ~ |L_:j| |W_j|; the degree pass leaves an estimate of the first factor, |L_:j|^2 ~ q_j s_j^4 with
// q_j = sum_i a_ij^2 (exact where neighbors have like degrees). Pairs of outliers, which carry leading eigenvectors
// that uniform sampling never sees, have |L_:j| near 1, a hundred times that of other points.
#pragma once

#include <cstdint>
#include <vector>

#include "mbsc/affinity/normalized.h"

namespace mbsc {

/// At most `count` distinct columns, ascending, for Nystrom: with probability half uniform, half in proportion to
/// |L_:j|^2 (`by_importance`), else uniform. Without replacement, by priority sampling (Duffield, Lund, Thorup, 2007):
/// the smallest u_j / p_j, u_j a uniform number of (seed, j) alone. A point of a degree so small that it would see
/// nothing but itself (a(x, x) s^2 > 10^4) is left out where there are others.
template <class T>
std::vector<int64_t> important_columns(const Normalized<T>& L, int64_t count, bool by_importance, uint64_t seed);

/// The columns that a sample of `budget` columns takes for certain, own rows flagged: those with p_j budget >= 1 for
/// p_j ~ |L_:j| |W_j| among the rest, the largest where these are more than `most`. The rest may then be drawn
/// uniformly: what they lack in variance against p_j is little, and a uniform sample without replacement becomes exact
/// when it is complete.
template <class T>
std::vector<uint8_t> certain_columns(const Normalized<T>& L, MatrixView<const T> W, int64_t budget, int64_t most);

}  // namespace mbsc
