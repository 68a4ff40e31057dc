// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mbsc/affinity/normalized.h"
#include "mbsc/result.h"

namespace mbsc {

/// The normalized cut of the labels: exact if `by_product`, else estimated from sampled columns. None for Nystrom's
/// degrees, and none after a stop. If it is stopped on the way, the result has labels but no cut, and its status says so.
void find_cut(const Affinity<float>& affinity, const Normalized<float>& L, bool by_product, const StopToken& stop,
              Clustering& result);

}  // namespace mbsc
