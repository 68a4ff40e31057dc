// SPDX-License-Identifier: Apache-2.0
// The first block of a solver: random, or Nystrom's vectors (`start`). Used by exact and by the algorithm of the paper.
#pragma once

#include "mbsc/solvers/registry.h"

namespace mbsc {

/// Sets `start` (random) and, for a Nystrom start, `landmarks` (10) if they are not given.
void resolve_start(int64_t n, ClusterOptions& options);

/// The first block, with `columns` columns. All are random; but if options.start is nystrom, the first `known` columns
/// are Nystrom's vectors. Adds the evaluated columns to the counts of `pairs`. The options must be resolved.
template <class T>
Matrix<T> start_block(const Normalized<T>& L, int64_t columns, int64_t known, const ClusterOptions& options,
                      EigenPairs<T>& pairs);

/// The memory of a solver together with this start. The start keeps the columns of its landmarks in memory, and frees
/// them before the solver continues. `solver`: the memory of the solver alone.
SolverMemory with_start(int64_t n, int64_t input_bytes, const ClusterOptions& options, SolverMemory solver);

}  // namespace mbsc
