// SPDX-License-Identifier: Apache-2.0
// Exactly k clusters: each empty one takes, in order of its number, the row farthest from its
// center among the clusters with more than one row; ties to the lowest row number.
//
// Cost: O(n columns) for each empty cluster.
#pragma once

#include <cstdint>

#include "mbsc/base/matrix.h"
#include "mbsc/kmeans/assignment.h"
#include "mbsc/linalg/row_space.h"

namespace mbsc {

enum class Filling {
  none,              ///< no cluster was empty
  moved_centers,     ///< rows away from their centers became centers of their own
  splits_equal_rows  ///< every row lies on its center: fewer distinct rows than clusters, nothing
                     ///< left to improve
};

/// Gives each empty cluster a row, and its center the place of that row. Needs at least as many
/// rows as clusters.
template <class T>
Filling fill_empty_clusters(const RowSpace& space, MatrixView<const T> rows, Matrix<double>& centers,
                            Assignment<T>& assignment);

}  // namespace mbsc
