// SPDX-License-Identifier: Apache-2.0
// What every method of the benchmark is measured against, and what all of them share: the exact leading eigenvectors
// in float64, and the degrees. Both are kept in a folder, as <data set>-<n>-<gamma>.*.npy with a JSON file beside it.
#pragma once

#include <string>
#include <vector>

#include "bench/convergence/data_set.h"
#include "mbsc/affinity/affinity.h"

namespace mbsc::bench {

struct SharedDegrees {
  Degrees degrees;
  double seconds = 0;  ///< when they were computed
};

struct Reference {
  Matrix<double> vectors;      ///< U, n x k
  std::vector<double> values;  ///< k
  double next_value = 0;       ///< the one after them, from below
  double largest_residual = 0;
  std::string status;
  double seconds = 0;  ///< when it was computed
};

/// With `neighbors` anew, since their graph is not kept.
SharedDegrees find_degrees(const DataSet& set, const Affinity<float>& affinity, const std::string& folder,
                           int64_t neighbors);

/// The exact solver in float64 to a residual of 1e-7, or as far as it came; float32 finds it where to start.
Reference find_reference(const DataSet& set, const Degrees& degrees, const std::string& folder, int threads);

}  // namespace mbsc::bench
