// SPDX-License-Identifier: Apache-2.0
// What is decided about points before the first kernel value: scaling per feature, gamma from sampled distances,
// and whether they can be clustered at all. Points are this rank's; a function that takes a RowSpace is collective and
// gives the same for any number of ranks.
#pragma once

#include <cstdint>

#include "mbsc/affinity/kernel_affinity.h"
#include "mbsc/base/points.h"

namespace mbsc {

/// none | to [0, 1] | to [-1, 1] | to mean 0 and standard deviation 1; a constant feature becomes 0.
enum class Scaling { none, unit, symmetric, standard };

/// Sets shift and scale of the points, from the ranges of the first `rows` rows (0 = all).
void apply_scaling(Points& points, Scaling scaling, int64_t rows, const RowSpace& space);
inline void apply_scaling(Points& points, Scaling scaling, int64_t rows, int threads) {
  apply_scaling(points, scaling, rows, RowSpace(points.rows, threads));
}

/// The automatic gamma, from sampled distances; it follows the scale of the data (twice the coordinates, a quarter of
/// gamma) and, but for small data, does not depend on n. The larger (narrower) of
///   16 / median squared distance (4 / median distance for exponential), which suits clouds in many dimensions, and
///   the gamma at which a typical point's degree is 3 % of the mean cluster size n/k, or 12 where that is more, which
///   suits curves, rings and clusters much smaller than the whole.
double choose_gamma(const Points& points, KernelKind kind, int64_t clusters, uint64_t seed, const RowSpace& space);
inline double choose_gamma(const Points& points, KernelKind kind, int64_t clusters, uint64_t seed) {
  return choose_gamma(points, kind, clusters, seed, RowSpace(points.rows, 1));
}

/// How many distinct points there are, counting no further than `enough`.
int64_t count_distinct(const Points& points, int64_t enough, const RowSpace& space);
inline int64_t count_distinct(const Points& points, int64_t enough) {
  return count_distinct(points, enough, RowSpace(points.rows, 1));
}

/// Throws InvalidInput naming the first row (of all) and feature (from 1) whose value is not finite. Not collective.
void check_finite(const Points& points, int threads);

}  // namespace mbsc
