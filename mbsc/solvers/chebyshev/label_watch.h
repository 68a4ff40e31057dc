// SPDX-License-Identifier: Apache-2.0
// LabelWatch: whether the labels that k-means finds still change while the eigenvectors converge.
//
// It clusters a fixed sample of rows. At the first call by k-means; later by Lloyd's iterations that start from the
// means of the groups found before, so that a label keeps its meaning although the eigenvectors may rotate.
// Cost of a call: a few assignments of the sample, which has at most 20,000 rows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mbsc/linalg/row_space.h"
#include "mbsc/options.h"

namespace mbsc {

class LabelWatch {
 public:
  /// roots[i] = s_i (affinity/normalized.h). Rows with s_i = 0 are isolated and are not watched. Only on one rank.
  LabelWatch(std::span<const float> roots, const ClusterOptions& options, int threads);

  /// The share of the sample that has another label than at the last call; 1 at the first call. `vectors` has k columns.
  template <class T>
  double update(MatrixView<const T> vectors);

 private:
  double cluster(const Matrix<float>& rows);

  const ClusterOptions& options_;
  int threads_;
  std::vector<int64_t> sample_;
  std::vector<float> roots_;  ///< of the sample
  std::vector<int32_t> labels_;
};

}  // namespace mbsc
