// SPDX-License-Identifier: Apache-2.0
// Measures how good an outcome is: its subspace errors, compared with the reference in float64, and the NMI of its
// clusters. If DataSet::wants_cut is set, it also computes the normalized cut and the largest residual, by one product
// with L for all outcomes of a run.
#pragma once

#include <optional>
#include <vector>

#include "bench/convergence/data_set.h"
#include "bench/convergence/methods.h"
#include "bench/convergence/reference.h"

namespace mbsc::bench {

struct Measurement {
  double budget = 0;
  int64_t columns = 0;
  bool within_budget = true;  ///< columns <= budget n + 1
  double seconds = 0;
  int64_t landmarks = 0;
  int64_t block_columns = 0;
  double block_error = 0;  ///< |U - WW'U|_F / sqrt(k) of the block
  double error = 0;        ///< the same of the k vectors
  double nmi = 0;
  std::optional<double> normalized_cut;
  std::optional<double> largest_residual;
};

/// Measures the outcomes of one method and seed.
class Measurements {
 public:
  Measurements(const DataSet& set, const Normalized<float>& L, const Reference& reference, uint64_t seed);

  /// Measures an outcome, except for its cut.
  const Measurement& add(const Outcome& outcome);
  /// Computes the cuts and residuals of all outcomes, if the data set wants them.
  void finish();

  const std::vector<Measurement>& all() const { return all_; }
  /// The measurement of the exact vectors, clustered with the same seed.
  const Measurement& exact() const { return exact_; }

 private:
  /// Clusters the rows of the vectors by k-means. Returns the NMI, and keeps what finish() needs.
  double cluster(MatrixView<const float> vectors);

  const DataSet& set_;
  const Normalized<float>& L_;
  const Reference& reference_;
  uint64_t seed_;
  Measurement exact_;
  std::vector<Measurement> all_;
  struct Kept {
    Matrix<float> vectors;
    std::vector<int32_t> labels;
  };
  std::vector<Kept> kept_;  ///< the exact vectors first, then those of all_
};

}  // namespace mbsc::bench
