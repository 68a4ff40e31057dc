// SPDX-License-Identifier: Apache-2.0
// Sums over rows that have the same bits for any number of threads and ranks.
//
// Each block of rows yields a partial (its rows added in order). The partials are added along one binary tree over
// the block numbers. The shape of the tree depends only on the number of blocks:
//     sum[a, b) = sum[a, mid) + sum[mid, b),  mid = a + (largest power of two below b - a).
// A rank reduces the subtrees that lie wholly inside its blocks. If a subtree spans ranks, the sum of its right half is
// sent to the rank that has the sum of its left half. At the end the total is broadcast to all ranks. So a rank sends
// and receives O(log blocks) sums over any transport.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "mbsc/linalg/row_space.h"

namespace mbsc {

/// Collective. Sums `width` numbers over all rows of all ranks. partial(block, rows, out) adds the contribution of one
/// own block (rows are local) to out[0..width), which starts at zero. `operations_per_row`: see
/// RowSpace::for_each_block().
std::vector<double> sum_over_blocks(
    const RowSpace& space, int64_t width,
    const std::function<void(int64_t block, Range rows, std::span<double> out)>& partial,
    double operations_per_row = 64);

/// The same, one block after the other, for large `width`: memory holds O(log blocks) partials instead of one per
/// block. The partial itself may use threads. If `together` is above 1, threads compute the partials of up to this many
/// blocks at the same time instead.
std::vector<double> sum_block_by_block(
    const RowSpace& space, int64_t width,
    const std::function<void(int64_t block, Range rows, std::span<double> out)>& partial, int64_t together = 1);

/// The largest `mine` of all ranks; NaN is ignored. Collective.
double largest_of_all(const Comm& comm, double mine);

}  // namespace mbsc
