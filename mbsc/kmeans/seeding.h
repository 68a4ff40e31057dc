// SPDX-License-Identifier: Apache-2.0
// Greedy k-means++. The first center is a row drawn uniformly. Each further step draws 2 + log(k) candidate rows, with
// probability proportional to their squared distance from the nearest center so far. The candidate that lowers the
// potential (the sum of these squared distances) most becomes the next center.
//
// A draw is a number in [0, potential). The cumulative block sums select a block, then the cumulative weights select
// a row of that block. The row is the same for any number of threads and ranks.
//
// Cost: O(n c k log k) time for rows of c columns. Memory: n (1 + t) numbers, where t is the number of candidates,
// rounded up to a multiple of 4 (for float64, of 2).
//
// D. Arthur, S. Vassilvitskii, "k-means++: the advantages of careful seeding", SODA 2007.
#pragma once

#include <cstdint>
#include <span>

#include "mbsc/input.h"
#include "mbsc/linalg/row_space.h"

namespace mbsc {

/// Returns the initial centers, a matrix of clusters x columns. Each center is a row that is not excluded. If there are
/// fewer distinct rows than clusters, the last center repeats. `seed` is the seed of the random numbers; each value of
/// `restart` gives an independent choice.
template <class T>
Matrix<double> choose_seeds(const RowSpace& space, MatrixView<const T> rows, std::span<const uint8_t> excluded,
                            int64_t clusters, uint64_t seed, int restart = 0);

}  // namespace mbsc
