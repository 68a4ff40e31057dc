// SPDX-License-Identifier: Apache-2.0
// From eigenvectors to the rows that k-means clusters.
#pragma once

#include <cstdint>
#include <vector>

#include "mbsc/affinity/normalized.h"
#include "mbsc/options.h"

namespace mbsc {

/// The rows k-means works on: the eigenvectors, scaled, with rows of weak points replaced (adopt_neighbors()).
Matrix<float> embed(const Matrix<float>& vectors, const Affinity<float>& affinity, const Normalized<float>& L,
                    EmbeddingScale scale, const StopToken& stop);

/// If a point's degree is less than what the regularization adds, its row says more about the regularization, which is
/// the same for all points, than about the point. The mean of its neighbors' rows, weighted by affinity, replaces it;
/// neighbors that are weak themselves do not count. Costs n kernel values for each such point, and nothing without
/// regularization.
void adopt_neighbors(const Affinity<float>& affinity, const Normalized<float>& L, EmbeddingScale scale,
                     Matrix<float>& embedding, const StopToken& stop);

/// Points that are left out of k-means (affinity/isolation.h).
struct IsolatedRows {
  std::vector<uint8_t> flags;  ///< of own rows
  int64_t count = 0;           ///< over all ranks
};
IsolatedRows find_isolated(const Normalized<float>& L, EmbeddingScale scale);

}  // namespace mbsc
