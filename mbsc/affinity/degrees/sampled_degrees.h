// SPDX-License-Identifier: Apache-2.0
// Degrees from a sample of columns, for data sets for which exact degrees (n^2/2 kernel values) cost too much.
//
// The sample S contains c of the n columns, drawn uniformly without replacement (a keyed permutation). With N = n - 1,
// w_i = sum_{j in S} a_ij and v_i = sum_{j in S} a_ij^2:
//     i in S       d_i is exact: it is the sum of column i, which was evaluated completely.
//     i not in S   d_i ~ (N / c) w_i and q_i ~ (N / c) v_i, because the c entries of the row are a uniform sample of N;
//                  Var d_i ~ (N^2 / c) (1 - c / N) (v_i - w_i^2 / c) / (c - 1).
// Here d_i is the degree and q_i the sum of squares of row i (Degrees in affinity.h). The estimates are unbiased. For a
// row outside S, the estimate of the variance (given that the row is not in S) is unbiased as well. If c = n, all
// degrees are exact.
//
// Uncertain rows are corrected. They matter most: the solvers scale rows by d_i^-1/2, and a degree that is far too
// small creates an eigenvector of its own. There are two groups:
//     unseen       w_i = 0: no sampled affinity is positive
//     unreliable   the standard error exceeds half of the estimate; typically only one to three affinities contribute
// At most c/4 rows are evaluated exactly, through their own columns. Each group gets half of this number, or more if
// the other group is smaller. If a group has more rows, the evaluated rows are drawn uniformly from it. Let D be the
// largest degree among the evaluated rows. The degrees of the other rows of the group become
//     (1 - r) d_i + r D,   r = min(1, Var d_i / d_i^2), and r = 1 for unseen rows.
// The q_i are corrected in the same way. This errs on the safe side: a degree that is too large only reduces the weight
// of a row. If all evaluated unseen rows are isolated, then D = 0, and the other unseen rows count as isolated, too. If
// m unseen rows were evaluated, a share of at most 3/m of the others has a neighbor (at a confidence of 95 %). The
// corrections are consistent: they vanish as c grows to n. They are not unbiased, because the rows are chosen by their
// estimates.
//
// If degrees are far below a(x, x), a single close neighbor can make up most of a degree. If this neighbor is not in
// the sample, neither the estimate nor its variance shows it.
//
// Cost: n kernel values per column. Memory: four numbers per row.
#pragma once

#include <cstdint>
#include <functional>

#include "mbsc/affinity/affinity.h"

namespace mbsc {

/// The numbers of rows and columns are totals over all ranks.
struct SampledDegrees {
  Degrees degrees;                ///< of own rows, with their variance
  int64_t columns_evaluated = 0;  ///< c, plus the uncertain rows that were evaluated exactly
  int64_t unseen = 0;             ///< unseen rows before the correction
  int64_t unreliable = 0;         ///< unreliable rows before the correction
  int64_t not_evaluated = 0;      ///< rows of both groups whose columns were not evaluated
};

struct DegreeError {
  double relative = 0;  ///< root mean square of (standard error / degree) over the rows with a positive degree
  double largest = 0;   ///< the largest of these ratios; the ratio of an unseen row with a corrected degree is 1
};
/// The error of sampled degrees, estimated from their variances, over all ranks. Collective.
DegreeError degree_error(const RowSpace& space, const Degrees& degrees);

/// The largest number of columns that sample_degrees() evaluates: c + c/4, but at most n.
int64_t most_degree_columns(int64_t n, int64_t columns);

/// Estimates the degrees from c = `columns` columns; c must be in [1, n]. The same seed gives the same bits for any
/// number of threads and ranks. Collective.
template <class T>
SampledDegrees sample_degrees(const Affinity<T>& affinity, int64_t columns, uint64_t seed, const StopToken& stop,
                              const std::function<void(double)>& progress = {});

}  // namespace mbsc
