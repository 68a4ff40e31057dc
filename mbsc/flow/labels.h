// SPDX-License-Identifier: Apache-2.0
// From rows of the embedding to labels.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mbsc/flow/embedding.h"
#include "mbsc/result.h"

namespace mbsc {

/// k-means, then labels for isolated points: the cluster whose mean is nearest, or, if the input is a matrix and there
/// are no distances, the largest cluster. Labels are numbered by falling cluster size. Fills in labels, sizes, centers
/// and inertia. A run that was stopped still gets its labels, from a single restart.
void label_rows(const Input& input, const RowSpace& rows, const Matrix<float>& embedding, const IsolatedRows& isolated,
                const ClusterOptions& options, const StopToken& stop, Clustering& result);

/// Renumbers labels, and the rows of the centers with them, by falling cluster size; equal sizes by first appearance.
/// Labels are those of own rows. Returns the sizes.
std::vector<int64_t> order_by_size(const RowSpace& rows, std::vector<int32_t>& labels, Matrix<double>& centers);

}  // namespace mbsc
