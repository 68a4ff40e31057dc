// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "mbsc/input.h"
#include "mbsc/linalg/row_space.h"
#include "mbsc/options.h"

namespace mbsc {

/// Chooses `count` landmarks: a few rounds of k-means on a sample of 10 `count` points, from distinct random points of
/// the sample. Random starts follow the density of the points; k-means++ would place too many landmarks on outliers. If
/// the sample has no more than `count` distinct points, these are the landmarks. Returns them in scaled coordinates.
/// `points` are the own rows of `rows`. Every rank stores the sample, and searches its share of it. Collective.
/// Cost: about 1/10 of the search for the landmarks of 10 `count` points in each round. Throws Stopped.
Matrix<float> choose_landmarks(const Points& points, const RowSpace& rows, int64_t count, uint64_t seed,
                               const StopToken& stop);

}  // namespace mbsc
