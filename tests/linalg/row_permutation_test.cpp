// SPDX-License-Identifier: Apache-2.0
// Rows that move to their places and back, over ranks.
#include "mbsc/linalg/row_permutation.h"

#include <gtest/gtest.h>

#include "mbsc/base/random.h"
#include "tests/comm/ranks.h"

namespace mbsc {
namespace {

TEST(RowPermutation, MovesRowsToTheirPlacesAndBack) {
  for (const int64_t n : {5, 300, 3000})
    for (const int ranks : {2, 3, 4, 7})
      testing::on_ranks(ranks, [&](const Comm& comm) {
        const RowSpace space(n, 1, comm);
        const Range own = space.own_rows();
        const KeyedPermutation order(n, Random(1, Stream::test), 0);
        std::vector<int32_t> row_at;
        Matrix<float> V(own.size(), 2);
        for (int64_t i = 0; i < own.size(); ++i) {
          row_at.push_back(int32_t(order(own.begin + i)));
          V(i, 0) = float(own.begin + i);
          V(i, 1) = -V(i, 0);
        }
        const RowPermutation permutation(space, row_at);
        const Matrix<float> placed = permutation.to_places<float>(comm, V);
        const Matrix<float> back = permutation.to_rows<float>(comm, placed);
        for (int64_t i = 0; i < own.size(); ++i) {
          EXPECT_EQ(placed(i, 0), float(row_at[size_t(i)]));
          EXPECT_EQ(placed(i, 1), -placed(i, 0));
          EXPECT_EQ(back(i, 0), V(i, 0));
        }
      });
}

}  // namespace
}  // namespace mbsc
