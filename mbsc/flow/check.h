// SPDX-License-Identifier: Apache-2.0
// What must be true before the work starts, and what can only be known from the data.
#pragma once

#include "mbsc/flow/embedding.h"
#include "mbsc/linalg/row_space.h"
#include "mbsc/result.h"

namespace mbsc {

/// Throws InvalidInput if a value is not finite, or fewer points are distinct than there are clusters. Collective.
void check_rows(const Input& input, const RowSpace& rows, int64_t clusters);

/// Throws InvalidInput if the estimate exceeds the free memory of a rank. Collective. Ranks on one machine each see all
/// of its free memory; whether they fit together is not known here.
void check_memory(int64_t bytes, const Comm& comm);

/// Throws InvalidInput unless all ranks run at the same SIMD level: each repeats small algebra, and their bits must be
/// equal. Collective.
void check_simd_levels(const Comm& comm);

/// Throws InvalidInput if fewer points than clusters have a neighbor.
void check_isolated(const IsolatedRows& isolated, const Plan& plan);

}  // namespace mbsc
