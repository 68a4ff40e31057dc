// SPDX-License-Identifier: Apache-2.0
// Sampled degrees get better with every column that a solver evaluates, and exact once it has seen all of them.
//
// With d the sampled degree of a row and V its variance, from c of the n columns (sampled_degrees.h), t the sum over
// the columns seen for sure, and r that over s of the N others, which were drawn uniformly without replacement:
//     e = t + (N / s) r,                                    unbiased, and its variance is about R V,
//     R = (1/s) (1 - s/N) / [(1/c) (1 - c/n)],              both being samples of the same row
//     d' = (R d + e) / (1 + R),   V' = V R / (1 + R)        the mean with weights 1/V and 1/(R V)
// R = 0 and d' = e is exact (to the rounding of the products) when s = N. Rows whose V is 0 stay as they are: exact, or
// taken for isolated; of these, where they were not left out of the sums (zeros_are_final), e tells in the end.
// Memory: two numbers a row, a byte a column.
#pragma once

#include "mbsc/affinity/affinity.h"

namespace mbsc {

class DegreeTally {
 public:
  /// `sampled` must outlive this.
  DegreeTally(const RowSpace& space, const Degrees& sampled, bool zeros_are_final);

  /// Where the row sums of these columns are to be added; null where they were before (all of them, or none).
  std::vector<double>* sums_for(std::span<const int64_t> columns, bool sure);
  /// What is known now, where `others` columns were not to be seen for sure.
  Degrees degrees(int64_t others) const;

 private:
  const RowSpace& space_;
  const Degrees& sampled_;
  const bool zeros_are_final_;
  std::vector<double> sure_, drawn_;
  std::vector<uint8_t> counted_;
  int64_t seen_ = 0;
};

}  // namespace mbsc
