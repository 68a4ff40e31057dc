// SPDX-License-Identifier: Apache-2.0
// Builds the affinity of an input.
#pragma once

#include <memory>

#include "mbsc/affinity/affinity.h"
#include "mbsc/input.h"
#include "mbsc/result.h"

namespace mbsc {

/// Builds the affinity of the plan. First finds the scaling of the points, and gamma if the kernel has one and the caller
/// did not set it. Writes both to the plan. If keep_graph is set and there is only one rank, also sets `graph`.
/// If the plan has a fallback and the neighbor graph has more than k large components, the plan becomes the fallback.
/// Collective.
std::unique_ptr<Affinity<float>> build_affinity(Input& input, const RowSpace& rows, Plan& plan,
                                                std::shared_ptr<const FittedGraph>& graph);

}  // namespace mbsc
