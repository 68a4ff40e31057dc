// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mbsc/cluster.h"

namespace mbsc {

/// An upper bound of what cluster() holds at its peak beside the points, in bytes, on each rank: what the solver says of
/// itself, the degrees, the tiles of a pass and the cache. The options are resolved.
int64_t estimate_memory(const InputShape& shape, const ClusterOptions& options);

}  // namespace mbsc
