// SPDX-License-Identifier: Apache-2.0
// Measures of the quality of labels: agreement with other labels, and the normalized cut.
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
  double accuracy = 0;  ///< share of points whose class is matched to their cluster by the best one-to-one matching
};

/// Throws InvalidInput if the two labelings have different lengths, are empty, or have a negative label.
Scores score_labels(std::span<const int32_t> truth, std::span<const int32_t> labels);

/// The exact normalized cut of a labeling, by one full product. Uses only `affinity`, `gamma`, `threads` and `stop` of
/// the options. For points, `affinity` must be a kernel, and gamma must be set if the kernel has one. A point with a
/// negative label belongs to no cluster.
double normalized_cut(const Input& input, std::span<const int32_t> labels, const ClusterOptions& options);

}  // namespace mbsc
