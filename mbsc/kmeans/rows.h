// SPDX-License-Identifier: Apache-2.0
// The scaling of the rows of eigenvectors before k-means, and the size and mean of the clusters that it finds.
#pragma once

#include <cstdint>
#include <span>

#include "mbsc/input.h"
#include "mbsc/linalg/row_space.h"
#include "mbsc/options.h"

namespace mbsc {

/// Scales one row of eigenvectors according to the option `embedding_scale`: to length one if it is `row`, or by
/// inverse_root_degree if it is `degree`.
void scale_row(std::span<float> row, EmbeddingScale scale, double inverse_root_degree);

/// The number of points in each cluster, over all ranks. Points labeled -1 belong to no cluster.
std::vector<double> cluster_counts(const RowSpace& rows, std::span<const int32_t> labels, int64_t clusters);

/// The mean of the points of each cluster; points labeled -1 do not count.
Matrix<double> cluster_means(const Points& points, const RowSpace& rows, std::span<const int32_t> labels,
                             int64_t clusters);

/// The cluster whose mean is nearest to point i.
int32_t nearest_mean(const Points& points, int64_t i, MatrixView<const double> means);

}  // namespace mbsc
