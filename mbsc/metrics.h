// SPDX-License-Identifier: Apache-2.0
// How good labels are: agreement with other labels, and the normalized cut.
#pragma once

#include <cstdint>
#include <span>

#include "mbsc/input.h"
#include "mbsc/options.h"

namespace mbsc {

/// Agreement of two labelings of the same points. Labels are integers >= 0.
struct Scores {
  double nmi = 0;            ///< mutual information / arithmetic mean of the entropies
  double nmi_geometric = 0;  ///< mutual information / geometric mean of the entropies
  double ari = 0;            ///< adjusted Rand index
  double accuracy = 0;  ///< share of points in the class that matches their cluster, in the best one-to-one matching
};

/// Throws InvalidInput unless both have the same, non-zero length.
Scores score_labels(std::span<const int32_t> truth, std::span<const int32_t> labels);

/// The normalized cut of a labeling, exact: one full product. `affinity`, `gamma`, `threads` and `stop` are taken from
/// the options; gamma must be set for the kernels that have one. Points labeled below 0 belong to no cluster.
double normalized_cut(const Input& input, std::span<const int32_t> labels, const ClusterOptions& options);

}  // namespace mbsc
