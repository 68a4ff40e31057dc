// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mbsc/cluster.h"

namespace mbsc {

/// Estimates an upper bound of the peak memory of cluster() on each rank, in bytes, without the points or the
/// given graph: the memory that the solver declares (SolverRow::memory), the degrees, the tiles of a pass, the cache,
/// and the graph as it is stored. The options must be resolved.
int64_t estimate_memory(const InputShape& shape, const ClusterOptions& options);

}  // namespace mbsc
