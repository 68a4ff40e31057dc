// SPDX-License-Identifier: Apache-2.0
// What is decided about the points before the first kernel value is evaluated: the scaling of each feature, the
// automatic gamma, and whether the points can be clustered at all. `points` are the points of this rank. A function
// that takes a RowSpace is collective; its result is the same for any number of ranks.
#pragma once

#include <cstdint>

#include "mbsc/affinity/kernel/kernel.h"
#include "mbsc/input.h"
#include "mbsc/linalg/row_space.h"
#include "mbsc/options.h"

namespace mbsc {

/// Sets the shift and scale of the points from statistics of each feature over the first `rows` rows (0: all rows).
void apply_scaling(Points& points, Scaling scaling, int64_t rows, const RowSpace& space);
inline void apply_scaling(Points& points, Scaling scaling, int64_t rows, int threads) {
  apply_scaling(points, scaling, rows, RowSpace(points.rows, threads));
}

/// The automatic gamma, from distances of sampled points. It follows the scale of the data: if all coordinates are
/// doubled, gamma is divided by 4 (exponential: by 2). Except for small data it does not depend on n. It is the larger
/// of two values; a larger gamma gives a narrower kernel:
///   16 / median squared distance (exponential: 4 / median distance), which suits clouds in many dimensions;
///   the gamma at which the median degree has a target value: the largest of 12, 0.1 % of n, and 3 % of the mean
///   cluster size n/k. This suits curves, rings and clusters that are much smaller than the data set.
double choose_gamma(const Points& points, KernelKind kind, int64_t clusters, uint64_t seed, const RowSpace& space);
inline double choose_gamma(const Points& points, KernelKind kind, int64_t clusters, uint64_t seed) {
  return choose_gamma(points, kind, clusters, seed, RowSpace(points.rows, 1));
}

/// The number of distinct points, or `enough` if there are more.
int64_t count_distinct(const Points& points, int64_t enough, const RowSpace& space);
inline int64_t count_distinct(const Points& points, int64_t enough) {
  return count_distinct(points, enough, RowSpace(points.rows, 1));
}

/// Throws InvalidInput if a value of this rank is not finite. The message names the first such row (by global number)
/// and feature, both counted from 1. Not collective.
void check_finite(const Points& points, int threads);

}  // namespace mbsc
