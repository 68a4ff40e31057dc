// SPDX-License-Identifier: Apache-2.0
// k-means on the rows of a tall matrix: greedy k-means++ seeding, Lloyd's iterations, restarts.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mbsc/input.h"
#include "mbsc/linalg/row_space.h"
#include "mbsc/options.h"

namespace mbsc {

struct KMeansOptions {
  int64_t clusters = 8;
  int restarts = 10;         ///< number of runs; the best one is kept
  int max_iterations = 300;  ///< limit for one run
  double tolerance = 1e-4;   ///< a run ends if the sum of squared shifts of the centers is at most
                             ///< tolerance * (mean variance of the features)
  uint64_t seed = 0;
};

struct KMeansResult {
  std::vector<int32_t> labels;  ///< for the rows of this rank, in [0, clusters); -1 if excluded
  Matrix<double> centers;       ///< clusters x columns
  double inertia = 0;           ///< sum of squared distances of the rows to their centers
  int iterations = 0;           ///< iterations of the best run
  bool converged = false;       ///< the best run ended by itself, not at max_iterations or on request
};

/// Returns exactly `clusters` non-empty clusters. If there are fewer distinct rows, equal rows are split.
/// excluded[i] != 0 excludes row i (empty span: none). The bits are the same for any number of threads and ranks.
/// Requires at least `clusters` rows that are not excluded. If a stop is requested, returns the best run so far,
/// after at least one assignment.
template <class T>
KMeansResult kmeans(const RowSpace& space, MatrixView<const T> rows, std::span<const uint8_t> excluded,
                    const KMeansOptions& options, const StopToken& stop = {});

}  // namespace mbsc
