// SPDX-License-Identifier: Apache-2.0
// The exact leading eigenvectors in float64, with which every method of the benchmark is compared, and the degrees,
// which all methods share. Both are stored in a folder, as <data set>-<n>-<gamma>.*.npy, each with a JSON file.
#pragma once

#include <string>
#include <vector>

#include "bench/convergence/data_set.h"
#include "mbsc/affinity/affinity.h"

namespace mbsc::bench {

struct SharedDegrees {
  Degrees degrees;
  double seconds = 0;  ///< the time of their computation
};

struct Reference {
  Matrix<double> vectors;      ///< U, n x k
  std::vector<double> values;  ///< k
  double next_value = 0;       ///< a lower bound of the next eigenvalue
  double largest_residual = 0;
  std::string status;
  double seconds = 0;  ///< the time of its computation
};

/// Returns the stored degrees; if there are none, computes and stores them. `neighbors` is the number of largest
/// entries of each row to collect. If it is not 0, the degrees are always computed, because these entries are not
/// stored.
SharedDegrees find_degrees(const DataSet& set, const Affinity<float>& affinity, const std::string& folder,
                           int64_t neighbors);

/// Returns the stored reference; if there is none, computes and stores it. It is the result of the exact solver in
/// float64, to a residual of 1e-7 or as near as it comes. The solver starts from a solution in float32.
Reference find_reference(const DataSet& set, const Degrees& degrees, const std::string& folder, int threads);

}  // namespace mbsc::bench
