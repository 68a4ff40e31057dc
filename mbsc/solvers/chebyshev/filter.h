// SPDX-License-Identifier: Apache-2.0
// The Chebyshev filter of a block: W <- p(L) W.
//
// The polynomial T_j((x - c)/e), c = (cut - 1)/2, e = (cut + 1)/2, is at most 1 on [-1, cut] and grows fast above cut. So
// the filter damps the eigenvectors below `cut` relative to those above it. The recurrence is scaled to be 1 at x = 1
// (Zhou, Saad, Tiago, Chelikowsky, "Self-consistent-field calculations using Chebyshev-filtered subspace iteration",
// 2006), so nothing overflows.
// Cost: one product for each degree.
#pragma once

#include <cstdint>

namespace mbsc {

/// The scaled three-term recurrence: W_j+1 = product * L W_j + same * W_j + before * W_j-1.
class Recurrence {
 public:
  struct Step {
    double product, same, before;
  };
  /// -1 < cut < 1.
  explicit Recurrence(double cut)
      : center_((cut - 1) / 2), half_((cut + 1) / 2), first_(half_ / (1 - center_)), sigma_(first_) {}

  /// From W_0 to W_1. W_-1 does not count.
  Step first() const { return {sigma_ / half_, -center_ * sigma_ / half_, 0}; }
  /// From W_j to W_j+1, for j = 1, 2, ... in this order.
  Step next() {
    const double next = 1 / (2 / first_ - sigma_);
    const Step step{2 * next / half_, -2 * next * center_ / half_, -sigma_ * next};
    sigma_ = next;
    return step;
  }

 private:
  double center_, half_, first_, sigma_;
};

/// How much a filter of this degree amplifies the eigenvalue `value` relative to the interval [-1, cut]; 1 if it lies
/// inside.
double filter_growth(double value, double cut, int64_t degree);

/// The degree at which the growth at `value` > cut is `growth`, within [least, most].
int64_t filter_degree(double value, double cut, double growth, int64_t least, int64_t most);

/// The largest cut at which a filter of this degree has this growth at `value`.
double filter_cut(double value, int64_t degree, double growth);

}  // namespace mbsc
