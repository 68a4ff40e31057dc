// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mbsc/affinity/normalized.h"
#include "mbsc/result.h"

namespace mbsc {

/// Writes the normalized cut of the labels to the result: exact, by a full product, if `by_product` is true; otherwise
/// estimated from sampled columns. Does nothing if the degrees are Nystrom's or the run was stopped. If it is stopped
/// before it ends, the result has no cut and its status is `stopped`.
void find_cut(const Affinity<float>& affinity, const Normalized<float>& L, bool by_product, const StopToken& stop,
              Clustering& result);

}  // namespace mbsc
