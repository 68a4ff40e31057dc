// SPDX-License-Identifier: Apache-2.0
// Computes labels from the rows of the embedding.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mbsc/flow/embedding.h"
#include "mbsc/result.h"

namespace mbsc {

/// Labels the rows as the option `assign` says, then the isolated points. An isolated point gets the cluster whose mean
/// is nearest. If the input is a matrix or a graph, there are no distances, and the point gets the largest cluster.
/// Labels are numbered by decreasing cluster size. Fills in the labels, sizes, centers and inertia of the result. If the
/// run was stopped before, k-means runs only once.
void label_rows(const Input& input, const RowSpace& rows, const Matrix<float>& embedding, const IsolatedRows& isolated,
                const ClusterOptions& options, const StopToken& stop, Clustering& result);

/// Renumbers the labels of own rows by decreasing cluster size, and reorders the rows of the centers in the same way.
/// Clusters of equal size are ordered by their first point. Returns the sizes over all ranks. Collective.
std::vector<int64_t> order_by_size(const RowSpace& rows, std::vector<int32_t>& labels, Matrix<double>& centers);

}  // namespace mbsc
