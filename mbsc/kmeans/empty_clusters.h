// SPDX-License-Identifier: Apache-2.0
// Ensures exactly k clusters. In the order of their numbers, each empty cluster takes the row that is farthest from the
// center of its present cluster. Only clusters with more than one row lose a row. Ties go to the lowest row number.
//
// Cost: O(n columns) for each empty cluster.
#pragma once

#include <cstdint>

#include "mbsc/input.h"
#include "mbsc/kmeans/assignment.h"
#include "mbsc/linalg/row_space.h"

namespace mbsc {

enum class Filling {
  none,              ///< no cluster was empty
  moved_centers,     ///< rows that were not on their centers became centers
  splits_equal_rows  ///< every row lies on its center: there are fewer distinct rows than clusters, so
                     ///< nothing can improve
};

/// Gives each empty cluster a row and moves its center to that row. There must be at least as many rows as clusters.
template <class T>
Filling fill_empty_clusters(const RowSpace& space, MatrixView<const T> rows, Matrix<double>& centers,
                            Assignment<T>& assignment);

}  // namespace mbsc
