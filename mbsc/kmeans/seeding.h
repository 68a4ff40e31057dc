// SPDX-License-Identifier: Apache-2.0
// Greedy k-means++: the first center is a row drawn uniformly. Each further step draws 2 + log(k)
// candidate rows with probability proportional to their squared distance from the nearest center so
// far, and keeps the one that lowers the potential, the sum of those distances, most.
//
// A draw is a number in [0, potential) placed on the line of block sums, then on the rows of that
// block: the same row for any number of threads and ranks.
//
// Cost: O(n columns k log k) time, n (3 + log k) numbers.
//
// D. Arthur, S. Vassilvitskii, "k-means++: the advantages of careful seeding", SODA 2007.
#pragma once

#include <cstdint>
#include <span>

#include "mbsc/base/matrix.h"
#include "mbsc/linalg/row_space.h"

namespace mbsc {

/// clusters x columns, each a row that is not excluded. Where fewer distinct rows exist, the last
/// one repeats. `restart` selects an independent choice of the same seed.
template <class T>
Matrix<double> choose_seeds(const RowSpace& space, MatrixView<const T> rows, std::span<const uint8_t> excluded,
                            int64_t clusters, uint64_t seed, int restart = 0);

}  // namespace mbsc
