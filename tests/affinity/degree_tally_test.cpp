// SPDX-License-Identifier: Apache-2.0
#include "mbsc/affinity/degrees/degree_tally.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "mbsc/affinity/degrees/sampled_degrees.h"
#include "mbsc/affinity/kernel/kernel_affinity.h"
#include "mbsc/base/random.h"
#include "tests/affinity/dense_oracle.h"

namespace mbsc {
namespace {

using testing::random_matrix;

constexpr int64_t n = 300;

struct Problem {
  Matrix<double> X = random_matrix<double>(n, 2, 2);
  KernelAffinity<double> A{Points(X.view()), {KernelKind::rbf, 0.3}, RowSpace(n, 2)};
  Degrees exact = A.degrees({});
};
const Problem& problem() {
  static const Problem p;
  return p;
}

/// Adds to the tally the columns 0 ... certain - 1 as fixed columns (degree_tally.h), and the columns at positions
/// [begin, end) of a permutation of the others as drawn columns. `key` selects the permutation.
void tally_columns(DegreeTally& tally, int64_t certain, int64_t begin, int64_t end, uint64_t key) {
  const KeyedPermutation permutation(n - certain, Random(11, Stream::test), key);
  std::vector<int64_t> columns;
  for (int64_t j = begin; j < end; ++j) columns.push_back(certain + permutation(j));
  std::sort(columns.begin(), columns.end());
  const auto add = [&](const std::vector<int64_t>& of, bool is_certain) {
    std::vector<double>* sums = tally.sums_for(of, is_certain);
    if (!sums) return;
    const Degrees rows = problem().A.sum_columns(of, {}).rows;
    for (size_t i = 0; i < sums->size(); ++i) (*sums)[i] += rows.sum[i];
  };
  std::vector<int64_t> first(static_cast<size_t>(certain));
  for (int64_t j = 0; j < certain; ++j) first[size_t(j)] = j;
  add(first, true);
  add(columns, false);
}

TEST(DegreeTally, IsUnbiasedAndEstimatesItsVariance) {
  const auto& p = problem();
  for (const int64_t seen : {30, 100, 250}) {
    constexpr int draws = 2000;
    std::vector<double> sum(n), squares(n), estimated(n), count(n);
    for (uint64_t draw = 0; draw < draws; ++draw) {
      const Degrees sampled = sample_degrees(p.A, 50, draw, {}).degrees;
      DegreeTally tally(p.A.rows(), sampled, true);
      tally_columns(tally, 20, 0, seen, draw);
      const Degrees better = tally.degrees(n - 20);
      for (size_t i = 0; i < size_t(n); ++i) {
        if (sampled.variance[i] == 0) continue;  // a row of the sample is exact
        const double error = better.sum[i] - p.exact.sum[i];
        ++count[i];
        sum[i] += error;
        squares[i] += error * error;
        estimated[i] += better.variance[i];
      }
    }
    double largest = 0, ratio = 0;
    for (size_t i = 0; i < size_t(n); ++i) {
      largest = std::max(largest, std::abs(sum[i]) / std::sqrt(squares[i]));
      ratio += estimated[i] / squares[i] / n;
    }
    fmt::print("{} columns: largest |z| {:.2f}, variance estimated / observed {:.2f}\n", seen, largest, ratio);
    // The largest of 300 normal |z| exceeds 4.5 once in 500 cases. The estimate ignores that 20 columns are fixed.
    EXPECT_LT(largest, 4.5);
    EXPECT_GT(ratio, 0.95);
    EXPECT_LT(ratio, 1.15);
  }
}

TEST(DegreeTally, IsExactIfEveryColumnWasEvaluatedOnceOrMoreOften) {
  const auto& p = problem();
  for (const int64_t certain : {int64_t{0}, int64_t{20}, n}) {
    const Degrees sampled = sample_degrees(p.A, 50, 1, {}).degrees;
    DegreeTally tally(p.A.rows(), sampled, true);
    for (int round = 0; round < 2; ++round)
      for (int64_t part = 0; part < 4; ++part)
        tally_columns(tally, certain, (n - certain) * part / 4, (n - certain) * (part + 1) / 4, 5);
    const Degrees better = tally.degrees(n - certain);
    EXPECT_TRUE(better.variance.empty());
    EXPECT_EQ(degree_error(p.A.rows(), better).largest, 0);
    for (size_t i = 0; i < size_t(n); ++i) EXPECT_NEAR(better.sum[i], p.exact.sum[i], 1e-10 * p.exact.sum[i]);
  }
}

TEST(DegreeTally, RowsThatCountAsIsolatedGetTheirDegreeUnlessZerosAreFinal) {
  Degrees sampled = sample_degrees(problem().A, 50, 1, {}).degrees;
  sampled.sum[7] = sampled.variance[7] = 0;
  for (const bool final : {true, false}) {
    DegreeTally tally(problem().A.rows(), sampled, final);
    tally_columns(tally, 20, 0, 140, 5);
    EXPECT_EQ(tally.degrees(n - 20).sum[7], 0) << "not before all columns were evaluated";
    tally_columns(tally, 20, 140, n - 20, 5);
    EXPECT_NEAR(tally.degrees(n - 20).sum[7], final ? 0 : problem().exact.sum[7], 1e-9);
  }
}

TEST(DegreeTally, ReturnsTheSampledDegreesBeforeTheFirstColumn) {
  const Degrees sampled = sample_degrees(problem().A, 50, 1, {}).degrees;
  DegreeTally tally(problem().A.rows(), sampled, true);
  EXPECT_EQ(tally.degrees(n).sum, sampled.sum);
  EXPECT_EQ(tally.degrees(n).variance, sampled.variance);
}

}  // namespace
}  // namespace mbsc
