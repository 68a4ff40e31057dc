// SPDX-License-Identifier: Apache-2.0
// Computes, from the eigenvectors, the rows that k-means will cluster.
#pragma once

#include <cstdint>
#include <vector>

#include "mbsc/affinity/normalized.h"
#include "mbsc/options.h"

namespace mbsc {

/// The rows that k-means clusters: the scaled rows of the eigenvectors, with the rows of weak points replaced
/// (adopt_neighbors()).
Matrix<float> embed(const Matrix<float>& vectors, const Affinity<float>& affinity, const Normalized<float>& L,
                    EmbeddingScale scale, const StopToken& stop);

/// Replaces the row of each weak point by the mean of its neighbors' rows, weighted by affinity. A point is weak if its
/// degree is less than what the regularization adds to it: its row then depends mainly on the regularization, which is
/// the same for all points. Neighbors that are weak themselves do not count. Costs n kernel values for each weak point.
/// Without regularization no point is weak.
void adopt_neighbors(const Affinity<float>& affinity, const Normalized<float>& L, EmbeddingScale scale,
                     Matrix<float>& embedding, const StopToken& stop);

/// The isolated points, which are left out of k-means (affinity/isolation.h).
struct IsolatedRows {
  std::vector<uint8_t> flags;  ///< of own rows
  int64_t count = 0;           ///< over all ranks
};
/// Collective.
IsolatedRows find_isolated(const Normalized<float>& L, EmbeddingScale scale);

}  // namespace mbsc
