// SPDX-License-Identifier: Apache-2.0
// k-means on the rows of a tall matrix: greedy k-means++ seeding, Lloyd's iterations, restarts.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mbsc/base/matrix.h"
#include "mbsc/base/stop_token.h"
#include "mbsc/linalg/row_space.h"

namespace mbsc {

struct KMeansOptions {
  int64_t clusters = 8;
  int restarts = 10;         ///< the best of this many runs is kept
  int max_iterations = 300;  ///< of one run
  double tolerance = 1e-4;   ///< a run ends when the centers moved less, relative to the mean variance of a feature
  uint64_t seed = 0;
};

struct KMeansResult {
  std::vector<int32_t> labels;  ///< of this rank's rows, in [0, clusters); -1 where excluded
  Matrix<double> centers;       ///< clusters x columns
  double inertia = 0;           ///< sum of squared distances to the nearest center
  int iterations = 0;           ///< of the best run
  bool converged = false;       ///< the best run ended before max_iterations
};

/// Exactly `clusters` non-empty clusters, also where fewer distinct rows exist: then equal rows are split.
/// excluded[i] != 0 leaves row i out (empty span: none). Same bits for any number of threads and ranks.
/// Requires at least `clusters` rows that are not excluded. When asked to stop, returns the best run so far,
/// finishing at least one assignment.
template <class T>
KMeansResult kmeans(const RowSpace& space, MatrixView<const T> rows, std::span<const uint8_t> excluded,
                    const KMeansOptions& options, const StopToken& stop = {});

}  // namespace mbsc
