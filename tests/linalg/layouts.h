// SPDX-License-Identifier: Apache-2.0
// Layouts: the ways to distribute rows over threads and ranks. Results must have the same bits for every layout.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "mbsc/input.h"
#include "mbsc/linalg/row_space.h"
#include "tests/comm/ranks.h"

namespace mbsc::testing {

/// A copy of the rows of `whole` that this rank owns. With the copy, the rank cannot access other rows.
template <class T>
Matrix<T> own_part(const RowSpace& space, const Matrix<T>& whole) {
  const Range own = space.own_rows();
  Matrix<T> part(own.size(), whole.cols());
  std::copy_n(whole.data() + own.begin * whole.cols(), part.size(), part.data());
  return part;
}

/// The rows of all ranks, one after the other; `part` has the rows of this rank.
template <class T>
std::vector<T> all_rows(const RowSpace& space, const Matrix<T>& part) {
  return space.comm().gather<T>(std::span<const T>(part.data(), size_t(part.size())));
}

/// Checks that the numbers that compute(space) returns have the same bits on all ranks and for every layout: for 1, 2
/// and 3 threads, for 1, 2, 3, 4 and 7 ranks, and for more ranks than there are blocks.
template <class Compute>
void expect_same_bits_for_every_layout(int64_t n, const Compute& compute) {
  const auto expected = compute(RowSpace(n, 1));
  for (const int threads : {2, 3}) EXPECT_EQ(compute(RowSpace(n, threads)), expected) << threads << " threads";
  for (const int ranks : {1, 2, 3, 4, 7, int(RowBlocks(n).count()) + 2})
    on_ranks(ranks, [&](const Comm& comm) {
      EXPECT_EQ(compute(RowSpace(n, 1, comm)), expected) << ranks << " ranks, rank " << comm.rank();
    });
}

}  // namespace mbsc::testing
