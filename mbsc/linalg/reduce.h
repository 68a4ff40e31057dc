// SPDX-License-Identifier: Apache-2.0
// Sums over rows that have the same bits for any number of threads and ranks.
//
// Each block of rows gives a partial (its rows added in order); partials are added along one binary tree over
// the block numbers, whose shape depends on the number of blocks alone:
//     sum[a, b) = sum[a, mid) + sum[mid, b),  mid = a + (largest power of two below b - a).
// A rank reduces the subtrees that lie wholly inside its blocks; where a subtree spans ranks, the sum of its right half
// is sent to whoever has that of its left half, and in the end the whole sum to everybody. So a rank sends and receives
// O(log ranks) sums, on whatever transport.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "mbsc/linalg/row_space.h"

namespace mbsc {

/// Adds up `width` numbers over all rows of all ranks. partial(block, rows, out) adds the share of one own
/// block (rows are local) to out[0..width), which starts at zero.
std::vector<double> sum_over_blocks(
    const RowSpace& space, int64_t width,
    const std::function<void(int64_t block, Range rows, std::span<double> out)>& partial,
    double operations_per_row = 64);

/// The same one block after the other, for many numbers: in memory are O(log blocks) partials, not one for each block.
/// The partial may use threads itself.
std::vector<double> sum_block_by_block(
    const RowSpace& space, int64_t width,
    const std::function<void(int64_t block, Range rows, std::span<double> out)>& partial);

/// The largest of everybody's numbers; NaN counts as none.
double largest_of_all(const Comm& comm, double mine);

}  // namespace mbsc
