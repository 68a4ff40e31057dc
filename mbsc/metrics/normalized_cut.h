// SPDX-License-Identifier: Apache-2.0
// The normalized cut of k clusters: ncut = sum_c cut(c, rest) / vol(c) = k - sum_c within(c) / vol(c). Spectral
// clustering minimizes a relaxation of it. cut(c, rest) is the sum of a_ij over i in c and j not in c; within(c) is the
// sum over i, j in c; vol(c) is the sum of the degrees of c. ncut is between 0 and k.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mbsc/affinity/affinity.h"

namespace mbsc {

/// Exact: one full product with the k indicator vectors. Rows with a negative label belong to no cluster.
/// `degrees` must be exact or empty. If empty, vol(c) comes from the same product.
template <class T>
double normalized_cut(const Affinity<T>& affinity, std::span<const double> degrees, std::span<const int32_t> labels,
                      int64_t clusters, const StopToken& stop);

struct CutEstimate {
  double value = 0;
  double standard_error = 0;
  int64_t columns = 0;  ///< number of evaluated columns
};

/// Estimates the cut from 20 groups of sampled columns. With degrees, each column j contributes its affinity to other
/// clusters, d_j - within_j. This estimate is unbiased, and a small cut has a small error. The standard error comes
/// from the differences between the groups. If `degrees` is empty, both within(c) and vol(c) come from the sampled
/// columns in c. This estimate is consistent. Its standard error comes from a jackknife over the groups. A cluster
/// without sampled columns counts as the mean of the others.
template <class T>
CutEstimate estimate_normalized_cut(const Affinity<T>& affinity, std::span<const double> degrees,
                                    std::span<const int32_t> labels, int64_t clusters, uint64_t seed,
                                    const StopToken& stop);

}  // namespace mbsc
