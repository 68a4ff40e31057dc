// SPDX-License-Identifier: Apache-2.0
// The affinity of points if the option `affinity` is not given.
//
//     neighbors   unless one of the following applies
//     landmarks   above two million points, because the neighbor graph would need too much memory; and if `landmarks` is
//                 given
//     rbf         if an option is given that only a dense kernel has, or a method that is meant for one
//
// docs/graphs.md has the measurements behind this rule. An option counts as given if it differs from its default.
#pragma once

#include <string>

#include "mbsc/cluster.h"

namespace mbsc {

constexpr int64_t most_points_of_neighbors = 2000000;

struct AffinityChoice {
  AffinityKind kind;
  std::string reason;  ///< completes the sentence "chosen because ..."
};

/// Throws InvalidInput if there is no affinity that all given options apply to. The message names two of them.
AffinityChoice choose_affinity(const InputShape& shape, const ClusterOptions& given);

}  // namespace mbsc
