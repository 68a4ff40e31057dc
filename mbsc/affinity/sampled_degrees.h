// SPDX-License-Identifier: Apache-2.0
// Degrees from a sample of columns, for data whose exact degrees (n^2/2 kernel values) are out of reach.
//
// S: c of the n columns, uniformly drawn without replacement (a keyed permutation). With N = n - 1 and
// w_i = sum_{j in S} a_ij, v_i = sum_{j in S} a_ij^2:
//     i in S       d_i = the sum of its own column, which was evaluated in full: exact
//     i not in S   d_i ~ (N / c) w_i,  q_i ~ (N / c) v_i: its c columns are a uniform sample of the N others, and
//                  Var d_i ~ (N^2 / c) (1 - c / N) (v_i - w_i^2 / c) / (c - 1)
// All of this is unbiased, the variance (given which rows are in S) as well; c = n is exact.
//
// Rows in doubt are put right, at most c/4 of them, by evaluating their own columns. They matter most: s = d^-1/2,
// and a degree that is far too small makes an eigenvector of its own. They are of two groups,
//     unseen       w_i = 0: no sampled affinity is above zero
//     doubtful     standard error above half of the estimate: what was seen is the affinity of a point or three
// each of which gets half of the c/4, or what the other leaves. Where a group has more rows, those evaluated are drawn
// uniformly from it, and with D the largest degree found among them the others get
//     (1 - r) d_i + r D,  r = min(1, Var d_i / d_i^2), 1 for unseen rows
// (q_i likewise): on the safe side, for a degree that is too large merely makes a row count less. D = 0, and the unseen
// rows that were not evaluated are isolated, only where every unseen row that was evaluated is: after m of them, at
// most 3/m of the others have a neighbor (95 %). These corrections are consistent (none is left as c grows to n), not
// unbiased: rows are picked by what was seen of them.
//
// What no sample tells: a neighbor that is much nearer than all sampled ones, where degrees are far below a(x, x).
//
// Cost: n kernel values a column; memory four numbers a row.
#pragma once

#include "mbsc/affinity/affinity.h"

namespace mbsc {

struct SampledDegrees {
  Degrees degrees;                    ///< of own rows, with their variance
  int64_t columns_evaluated = 0;      ///< c and those of rows in doubt
  int64_t unseen = 0;                 ///< rows of all ranks, before any was put right
  int64_t doubtful = 0;               ///< likewise
  int64_t left_in_doubt = 0;          ///< of both groups, those not evaluated
};

struct DegreeError {
  double relative = 0;  ///< root mean square of (standard error / degree) over the rows with a degree
  double largest = 0;   ///< 1 where an unseen row was given a degree
};
/// As the variances say; over all ranks.
DegreeError degree_error(const RowSpace& space, const Degrees& degrees);

/// How many columns sample_degrees() evaluates at most: c + c/4, within n.
int64_t most_degree_columns(int64_t n, int64_t columns);

/// c = `columns`, in [1, n]. Same seed, same bits for any number of threads and ranks.
template <class T>
SampledDegrees sample_degrees(const Affinity<T>& affinity, int64_t columns, uint64_t seed, const StopToken& stop,
                              const std::function<void(double)>& progress = {});

}  // namespace mbsc
