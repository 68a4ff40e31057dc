// SPDX-License-Identifier: Apache-2.0
// Lloyd's iterations from given centers: assign each row to its nearest center and move each center to the mean of its
// rows, until no label changes or the centers move less than a limit. A cluster that becomes empty takes a row from
// another cluster (empty_clusters.h).
//
// Cost per iteration: O(n columns) plus the assignment (assignment.h).
#pragma once

#include <cstdint>
#include <span>

#include "mbsc/kmeans/kmeans.h"

namespace mbsc {

struct LloydLimits {
  int max_iterations = 300;
  double shift = 0;  ///< a run ends when the sum of the squared shifts of the centers is at most this
};

/// One run from these centers. No cluster of the result is empty. Each row has the label of the nearest of the returned
/// centers, unless max_iterations or `stop` ended the run in the same step that filled an empty cluster.
template <class T>
KMeansResult lloyd(const RowSpace& space, MatrixView<const T> rows, std::span<const uint8_t> excluded,
                   Matrix<double> centers, const LloydLimits& limits, const StopToken& stop);

}  // namespace mbsc
