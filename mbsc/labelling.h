// SPDX-License-Identifier: Apache-2.0
// The last steps of cluster(): what k-means sees, and what becomes of its labels.
#pragma once

#include <vector>

#include "mbsc/cluster.h"

namespace mbsc {

/// The rows k-means works on.
Matrix<float> scale_embedding(const Matrix<float>& vectors, const Normalized<float>& L, EmbeddingScale scale);

/// Where a point's degree is less than the regularisation adds, its row tells of the regularisation, which is the same
/// for all, more than of the point: in its place comes the mean of its neighbours' rows, weighted by affinity, without
/// neighbours of the same sort. n kernel values for each such point; none without regularisation.
void adopt_neighbours(const Affinity<float>& affinity, const Normalized<float>& L, EmbeddingScale scale,
                      Matrix<float>& embedding, const StopToken& stop);

/// 1 for each row k-means must not see: points without a neighbour, and for `degree` those whose degree is so small
/// (1e-10 of the mean) that dividing by its root would blow rounding errors up into clusters.
std::vector<uint8_t> excluded_rows(const Normalized<float>& L, EmbeddingScale scale);

/// Gives points labelled -1 the label of the cluster whose mean is nearest; the largest cluster where the affinity is
/// precomputed and there are no distances.
void label_isolated(const Points& points, const ClusterOptions& options, const RowSpace& rows,
                    std::vector<int32_t>& labels);

/// Renumbers labels by falling cluster size, equal sizes by first appearance; returns the sizes.
std::vector<int64_t> order_by_size(std::vector<int32_t>& labels, int64_t clusters);

}  // namespace mbsc
