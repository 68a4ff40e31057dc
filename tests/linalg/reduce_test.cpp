// SPDX-License-Identifier: Apache-2.0
#include "mbsc/linalg/reduce.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/affinity/dense_oracle.h"
#include "tests/comm/ranks.h"
#include "tests/linalg/layouts.h"

namespace mbsc {
namespace {

using testing::expect_same_bits_for_every_layout;
using testing::own_part;
using testing::random_matrix;

/// The sum of each column of the whole matrix, by sum_over_blocks().
std::vector<double> column_sums(const RowSpace& space, const Matrix<double>& whole) {
  const Matrix<double> part = own_part(space, whole);
  return sum_over_blocks(space, whole.cols(), [&](int64_t, Range rows, std::span<double> out) {
    for (int64_t i = rows.begin; i < rows.end; ++i)
      for (int64_t c = 0; c < part.cols(); ++c) out[size_t(c)] += part(i, c);
  });
}

/// Numbers whose sizes span twelve decades: any other order of addition changes the bits of their sum.
Matrix<double> wide_ranging(int64_t n, int64_t columns) {
  Matrix<double> X = random_matrix<double>(n, columns, 1);
  for (int64_t i = 0; i < n; ++i)
    for (int64_t c = 0; c < columns; ++c) X(i, c) *= std::pow(10.0, double(i % 13) - 6);
  return X;
}

TEST(SumOverBlocks, HasTheSameBitsForAnyNumberOfThreadsAndRanks) {
  // Up to 2,048 rows a block has 64 rows, which gives 1, 2, 3, 8, 16 and 32 blocks. 2,200 rows are 9 blocks of 256.
  for (const int64_t n : {1, 64, 65, 190, 511, 1000, 2048, 2200}) {
    const Matrix<double> X = wide_ranging(n, 3);
    expect_same_bits_for_every_layout(n, [&](const RowSpace& space) { return column_sums(space, X); });
  }
}

TEST(SumOverBlocks, EqualsThePlainSum) {
  const int64_t n = 1777;
  const Matrix<double> X = wide_ranging(n, 2);
  const std::vector<double> sums = column_sums(RowSpace(n, 2), X);
  for (int64_t c = 0; c < 2; ++c) {
    long double plain = 0, sizes = 0;
    for (int64_t i = 0; i < n; ++i) {
      plain += X(i, c);
      sizes += std::abs(X(i, c));
    }
    // There are 64 additions within a block and log2(28) between blocks, each with an error of at most eps times the
    // sum of the absolute values.
    EXPECT_NEAR(sums[size_t(c)], double(plain), 70 * 2.3e-16 * double(sizes));
  }
}

TEST(SumOverBlocks, HandsEveryOwnBlockOutOnceWithLocalRows) {
  const int64_t n = 1000;
  for (const int ranks : {1, 2, 3, 4, 7, 20})
    testing::on_ranks(ranks, [&](const Comm& comm) {
      const RowSpace space(n, 1, comm);
      // Counts rows and sums their global numbers.
      const std::vector<double> sums = sum_over_blocks(space, 2, [&](int64_t block, Range rows, std::span<double> out) {
        EXPECT_TRUE(space.own_blocks().contains(block));
        EXPECT_EQ(rows.begin + space.own_rows().begin, space.blocks().block(block).begin);
        EXPECT_EQ(out[0], 0);
        for (int64_t i = rows.begin; i < rows.end; ++i) {
          out[0] += 1;
          out[1] += double(space.own_rows().begin + i);
        }
      });
      EXPECT_EQ(sums, (std::vector<double>{double(n), double(n) * (double(n) - 1) / 2}));
    });
}

TEST(SumOverBlocks, OfNoRowsOrNoColumnsIsZero) {
  const auto nothing = [](int64_t, Range, std::span<double>) {};
  EXPECT_EQ(sum_over_blocks(RowSpace(0, 1), 2, nothing), (std::vector<double>{0, 0}));
  EXPECT_TRUE(sum_over_blocks(RowSpace(100, 1), 0, nothing).empty());
}

}  // namespace
}  // namespace mbsc
