// SPDX-License-Identifier: Apache-2.0
#include "mbsc/affinity/degrees/degree_tally.h"

#include <algorithm>

namespace mbsc {

DegreeTally::DegreeTally(const RowSpace& space, const Degrees& sampled, bool zeros_are_final)
    : space_(space),
      sampled_(sampled),
      zeros_are_final_(zeros_are_final),
      fixed_(sampled_.sum.size()),
      drawn_(sampled_.sum.size()),
      counted_(size_t(space.n())) {}

std::vector<double>* DegreeTally::sums_for(std::span<const int64_t> columns, bool fixed) {
  if (columns.empty() || counted_[size_t(columns[0])]) return nullptr;
  for (const int64_t j : columns) counted_[size_t(j)] = 1;
  if (!fixed) seen_ += int64_t(columns.size());
  return fixed ? &fixed_ : &drawn_;
}

Degrees DegreeTally::degrees(int64_t others) const {
  Degrees better = sampled_;
  if (!sampled_.sampled() || (seen_ == 0 && others > 0)) return better;
  const double n = double(space_.n()), c = double(sampled_.columns), N = double(others), s = double(seen_);
  const bool complete = seen_ == others;
  const double R = complete ? 0 : (1 / s) * (1 - s / N) / ((1 / c) * (1 - c / n));
  const double factor = complete ? 1 : N / s;
  space_.for_each_block([&](int64_t, Range rows) {
    for (auto i = size_t(rows.begin); i < size_t(rows.end); ++i) {
      const bool is_open = complete && !zeros_are_final_ && sampled_.sum[i] == 0;
      if (sampled_.variance[i] == 0 && !is_open) continue;
      better.sum[i] = (R * sampled_.sum[i] + fixed_[i] + factor * drawn_[i]) / (1 + R);
      better.variance[i] *= R / (1 + R);
    }
  });
  if (complete) better.make_exact();
  return better;
}

}  // namespace mbsc
