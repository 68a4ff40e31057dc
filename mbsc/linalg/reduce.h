// SPDX-License-Identifier: Apache-2.0
// Sums over rows that have the same bits for any number of threads and ranks.
//
// Each block of rows gives a partial (its rows added in order); partials are added along one binary tree over
// the block numbers, whose shape depends on the number of blocks alone:
//     sum[a, b) = sum[a, mid) + sum[mid, b),  mid = a + (largest power of two below b - a).
// A rank reduces the subtrees that lie wholly inside its blocks, O(log blocks) of them, and only those travel.
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

}  // namespace mbsc
