// SPDX-License-Identifier: Apache-2.0
// Checks the rows, the memory and the ranks before the work starts, and the isolated points when the degrees are known.
#pragma once

#include "mbsc/flow/embedding.h"
#include "mbsc/linalg/row_space.h"
#include "mbsc/result.h"

namespace mbsc {

/// Throws InvalidInput if a value is not finite. For points, also if all points are equal or if there are fewer
/// distinct points than clusters. Collective.
void check_rows(const Input& input, const RowSpace& rows, int64_t clusters);

/// Throws InvalidInput if the estimate `bytes` of a rank exceeds the free memory of a rank. Collective. Each rank sees
/// all the free memory of its machine, so several ranks on one machine may still need more than there is.
void check_memory(int64_t bytes, const Comm& comm);

/// Throws InvalidInput unless all ranks run at the same SIMD level. Every rank repeats the small dense algebra, and the
/// results must have the same bits on all ranks. Collective.
void check_simd_levels(const Comm& comm);

/// Throws InvalidInput if fewer points than clusters have a neighbor.
void check_isolated(const IsolatedRows& isolated, const Plan& plan);

}  // namespace mbsc
