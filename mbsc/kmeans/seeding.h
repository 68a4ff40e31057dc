// SPDX-License-Identifier: Apache-2.0
// Greedy k-means++. The first center is a row drawn uniformly. Each further step draws 2 + log(k) candidate rows, with
// probability proportional to their squared distance from the nearest center so far. The candidate that lowers the
// potential (the sum of these distances) most becomes the next center.
//
// A draw is a number in [0, potential). The cumulative block sums select a block, then the cumulative weights select
// a row of that block. The row is the same for any number of threads and ranks.
//
// Cost: O(n columns k log k) time, n (3 + log k) numbers in memory.
//
// D. Arthur, S. Vassilvitskii, "k-means++: the advantages of careful seeding", SODA 2007.
#pragma once

#include <cstdint>
#include <span>

#include "mbsc/input.h"
#include "mbsc/linalg/row_space.h"

namespace mbsc {

/// Returns the seeds, a matrix of clusters x columns. Each seed is a row that is not excluded. If there are fewer
/// distinct rows than clusters, the last seed repeats. Different values of `restart` give independent choices for the
/// same seed.
template <class T>
Matrix<double> choose_seeds(const RowSpace& space, MatrixView<const T> rows, std::span<const uint8_t> excluded,
                            int64_t clusters, uint64_t seed, int restart = 0);

}  // namespace mbsc
