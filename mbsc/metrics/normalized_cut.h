// SPDX-License-Identifier: Apache-2.0
// The quantity spectral clustering relaxes: ncut = sum_c cut(c, rest) / vol(c) = k - sum_c within(c) / vol(c), with
// within(c) the sum of a_ij over i, j in c and vol(c) the sum of the degrees of c. Between 0 and k.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mbsc/affinity/affinity.h"

namespace mbsc {

/// Exact: one full product with the k indicator vectors. Rows labeled below 0 belong to no cluster.
/// `degrees` are exact ones, or empty: then vol(c) comes from the same product.
template <class T>
double normalized_cut(const Affinity<T>& affinity, std::span<const double> degrees, std::span<const int32_t> labels,
                      int64_t clusters, const StopToken& stop);

struct CutEstimate {
  double value = 0;
  double standard_error = 0;
  int64_t columns = 0;  ///< evaluated for it
};

/// From 20 groups of sampled columns, by what each sends out of its cluster, d_j - within_j: unbiased, with the
/// standard error between the groups, which is as small as the cut. Without degrees (empty) both sums of
/// within(c) / vol(c) come from the columns that fall into c: consistent, with the standard error of a jackknife over
/// the groups; a cluster that no column falls into is taken as the mean of the others.
template <class T>
CutEstimate estimate_normalized_cut(const Affinity<T>& affinity, std::span<const double> degrees,
                                    std::span<const int32_t> labels, int64_t clusters, uint64_t seed,
                                    const StopToken& stop);

}  // namespace mbsc
