// SPDX-License-Identifier: Apache-2.0
// The rule that decides which points are isolated. A point is isolated if its degree is zero. If the embedding divides
// rows by the root of their degree, a point is also isolated if its regularized degree is below 1e-10 of the mean
// degree, because the division would turn rounding errors into clusters. Isolated points are left out of k-means and
// labeled by distance. Clustering and prediction use the same rule.
#pragma once

#include <cstdint>
#include <span>

#include "mbsc/linalg/reduce.h"
#include "mbsc/options.h"

namespace mbsc {

struct IsolationRule {
  double tau = 0;    ///< what the regularization adds to every degree
  double least = 0;  ///< a point is isolated if its degree plus tau is below this

  IsolationRule(EmbeddingScale scale, double mean_degree, double tau_)
      : tau(tau_), least(scale == EmbeddingScale::degree ? 1e-10 * mean_degree : 0) {}
  bool is_isolated(double degree) const { return !(degree > 0) || degree + tau < least; }
};

/// The mean degree over all ranks. `degrees` are the degrees of own rows. Collective.
inline double mean_degree(const RowSpace& rows, std::span<const double> degrees) {
  const double sum = sum_over_blocks(rows, 1, [&](int64_t, Range range, std::span<double> out) {
    for (int64_t i = range.begin; i < range.end; ++i) out[0] += degrees[size_t(i)];
  })[0];
  return sum / double(rows.n());
}

}  // namespace mbsc
