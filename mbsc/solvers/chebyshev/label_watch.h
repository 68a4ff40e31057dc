// SPDX-License-Identifier: Apache-2.0
// LabelWatch: whether the labels that k-means finds still change while the eigenvectors converge.
//
// It clusters a fixed sample of rows. The first call uses k-means. Later calls use Lloyd's iterations, which start from
// the means of the groups found before, so that a label keeps its meaning although the eigenvectors may rotate.
// Cost of a call: a few assignments of the sample, which has at most 20,000 rows. Every rank gathers the sample and
// clusters it, so all ranks get the same result.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mbsc/linalg/row_space.h"
#include "mbsc/options.h"

namespace mbsc {

class LabelWatch {
 public:
  /// roots[i] = s_i (affinity/normalized.h) for own rows. Rows with s_i = 0 are isolated and are not watched. Collective.
  LabelWatch(const RowSpace& space, std::span<const float> roots, const ClusterOptions& options);

  /// The share of the sample that has another label than at the last call; 1 at the first call. `vectors` has at
  /// least k columns, and this rank's own rows. Collective.
  template <class T>
  double update(MatrixView<const T> vectors);

 private:
  double cluster(const Matrix<float>& rows);

  const ClusterOptions& options_;
  RowSpace space_;
  std::vector<int64_t> sample_;    ///< ascending
  std::vector<int64_t> position_;  ///< of each row of the sample: its position in the random order
  std::vector<float> roots_;       ///< of the sample
  std::vector<int32_t> labels_;
};

}  // namespace mbsc
