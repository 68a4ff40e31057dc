// SPDX-License-Identifier: Apache-2.0
// The rows of eigenvectors that k-means clusters, and the relation of labels to points.
#pragma once

#include <cstdint>
#include <span>

#include "mbsc/input.h"
#include "mbsc/linalg/row_space.h"
#include "mbsc/options.h"

namespace mbsc {

/// Scales one row of eigenvectors according to the option `embedding_scale`.
void scale_row(std::span<float> row, EmbeddingScale scale, double inverse_root_degree);

/// The number of points in each cluster, over all ranks. Points labeled -1 belong to no cluster.
std::vector<double> cluster_counts(const RowSpace& rows, std::span<const int32_t> labels, int64_t clusters);

/// The mean of the points of each cluster; points labeled -1 do not count.
Matrix<double> cluster_means(const Points& points, const RowSpace& rows, std::span<const int32_t> labels,
                             int64_t clusters);

/// The cluster whose mean is nearest to point i.
int32_t nearest_mean(const Points& points, int64_t i, MatrixView<const double> means);

}  // namespace mbsc
