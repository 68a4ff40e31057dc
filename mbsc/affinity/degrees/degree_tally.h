// SPDX-License-Identifier: Apache-2.0
// DegreeTally: improves sampled degrees with the columns that a solver evaluates. After the solver has evaluated every
// column, the degrees are exact.
//
// For one row, let d be the sampled degree and V its variance, from c of the n columns (sampled_degrees.h). The solver
// always evaluates some columns, the fixed columns. Let t be the sum of the row over these. Of the N other columns it
// evaluates s columns, which are drawn uniformly without replacement. Let r be the sum of the row over these. Then
//     e = t + (N / s) r                                     is unbiased, and its variance is about R V with
//     R = (1/s) (1 - s/N) / [(1/c) (1 - c/n)],              because both are samples of the same row;
//     d' = (R d + e) / (1 + R)                              is the mean with the weights 1/V and 1/(R V);
//     V' = V R / (1 + R)                                    is its variance.
// If s = N, then R = 0 and d' = e is exact, up to the rounding of the products.
//
// A row with V = 0 does not change: its degree is exact, or the row counts as isolated. But if zeros_are_final is
// false, the degree of a row that counts as isolated becomes e when all columns have been evaluated.
// Memory: two numbers per row and one byte per column.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mbsc/affinity/affinity.h"

namespace mbsc {

class DegreeTally {
 public:
  /// `sampled` must outlive this object.
  DegreeTally(const RowSpace& space, const Degrees& sampled, bool zeros_are_final);

  /// Returns the vector to which the caller must add the row sums of these columns, or null if the columns were counted
  /// before. Either all of the columns were counted before, or none. `fixed`: whether these are fixed columns.
  std::vector<double>* sums_for(std::span<const int64_t> columns, bool fixed);
  /// The improved degrees. `others` is N, the number of columns that are not fixed.
  Degrees degrees(int64_t others) const;

 private:
  const RowSpace& space_;
  const Degrees& sampled_;
  const bool zeros_are_final_;
  std::vector<double> fixed_, drawn_;  ///< t and r of each own row
  std::vector<uint8_t> counted_;       ///< by column
  int64_t seen_ = 0;                   ///< s
};

}  // namespace mbsc
