// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "mbsc/flow/embedding.h"
#include "mbsc/result.h"

namespace mbsc {

/// What predict() needs if the affinity has landmarks; nothing for other affinities, or if the run was stopped. Costs
/// half a product with k columns. If the solver did not recompute the residuals, it costs one and a half.
std::optional<LandmarkExtension> extend_landmarks(const Input& input, const Affinity<float>& affinity,
                                                  const Normalized<float>& L, const IsolatedRows& isolated,
                                                  const StopToken& stop, const Clustering& result);

}  // namespace mbsc
