// SPDX-License-Identifier: Apache-2.0
// What is decided about points before the first kernel value: scaling per feature, gamma from sampled distances,
// and whether they can be clustered at all.
#pragma once

#include <cstdint>

#include "mbsc/affinity/kernel_affinity.h"
#include "mbsc/base/points.h"

namespace mbsc {

/// none | to [0, 1] | to [-1, 1] | to mean 0 and standard deviation 1; a constant feature becomes 0.
enum class Scaling { none, unit, symmetric, standard };

/// Sets shift and scale of the points, from the ranges of the first `rows` rows (0 = all).
void apply_scaling(Points& points, Scaling scaling, int64_t rows, int threads);

/// The automatic gamma: 16 / (median squared distance) for rbf, 4 / (median distance) for exponential, over the pairs
/// of at most 500 sampled points that are not coincident. It does not depend on the scale of the data: doubling
/// every coordinate quarters gamma. 16 was best on average over eight labelled data sets.
double choose_gamma(const Points& points, KernelKind kind, uint64_t seed);

/// How many distinct points there are, counting no further than `enough`.
int64_t count_distinct(const Points& points, int64_t enough);

/// Throws InvalidInput naming the first row and feature (from 1) whose value is not finite.
void check_finite(const Points& points, int threads);

}  // namespace mbsc
