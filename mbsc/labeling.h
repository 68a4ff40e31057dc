// SPDX-License-Identifier: Apache-2.0
// The last steps of cluster(): what k-means sees, and what becomes of its labels.
#pragma once

#include <span>
#include <vector>

#include "mbsc/cluster.h"

namespace mbsc {

/// One row of eigenvectors as k-means sees it.
void scale_row(std::span<float> row, EmbeddingScale scale, double inverse_root_degree);

/// The rows k-means works on.
Matrix<float> scale_embedding(const Matrix<float>& vectors, const Normalized<float>& L, EmbeddingScale scale);

/// Where a point's degree is less than the regularization adds, its row tells of the regularization, which is the same
/// for all, more than of the point: in its place comes the mean of its neighbors' rows, weighted by affinity, without
/// neighbors of the same sort. n kernel values for each such point; none without regularization.
void adopt_neighbors(const Affinity<float>& affinity, const Normalized<float>& L, EmbeddingScale scale,
                      Matrix<float>& embedding, const StopToken& stop);

/// The degree, regularization included, below which a row is not clustered.
double least_degree(EmbeddingScale scale, double mean_degree);

/// 1 for each row k-means must not see: points without a neighbor, and for `degree` those whose degree is so small
/// (1e-10 of the mean) that dividing by its root would blow rounding errors up into clusters.
std::vector<uint8_t> excluded_rows(const Normalized<float>& L, EmbeddingScale scale);

/// The mean of each cluster's points, without those labeled -1.
Matrix<double> cluster_means(const Points& points, const RowSpace& rows, std::span<const int32_t> labels,
                             int64_t clusters);

/// The cluster whose mean is nearest to point i.
int32_t nearest_mean(const Points& points, int64_t i, MatrixView<const double> means);

/// Gives points labeled -1 the label of the cluster whose mean is nearest; the largest cluster where the affinity is
/// precomputed and there are no distances. Labels are those of own rows, here and below.
void label_isolated(const Points& points, const ClusterOptions& options, const RowSpace& rows,
                    std::vector<int32_t>& labels);

/// Renumbers labels, and the rows of the centers with them, by falling cluster size, equal sizes by first appearance;
/// returns the sizes.
std::vector<int64_t> order_by_size(const RowSpace& rows, std::vector<int32_t>& labels, Matrix<double>& centers);

}  // namespace mbsc
