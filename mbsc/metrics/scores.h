// SPDX-License-Identifier: Apache-2.0
// Agreement of two labelings of the same points. Labels are any integers >= 0.
#pragma once

#include <cstdint>
#include <span>

namespace mbsc {

struct Scores {
  double nmi = 0;            ///< mutual information / arithmetic mean of the entropies
  double nmi_geometric = 0;  ///< mutual information / geometric mean of the entropies
  double ari = 0;            ///< adjusted Rand index
  double accuracy = 0;       ///< share of points on the optimal one-to-one matching of clusters and classes
};

/// Throws InvalidInput unless both have the same, non-zero length.
Scores score_labels(std::span<const int32_t> truth, std::span<const int32_t> labels);

}  // namespace mbsc
