// SPDX-License-Identifier: Apache-2.0
// The nearest center of each row, updated when the centers move.
//
// Hamerly's bounds: each row has an upper bound u on the distance to its own center, and a lower bound l on the
// distance to every other center. When the centers move, u grows by the drift of the row's own center, and l shrinks by
// the largest drift of the other centers. If
//     u < max(l, half the distance from the row's own center to the nearest other center)
// the row keeps its label without a search. The bounds are widened by the rounding error of a distance. So the labels
// are exactly those of a plain search through all centers, with ties to the lowest number.
//
// If there are few centers and columns, a search through all centers by SIMD (simd/nearest.h) is faster than the bounds
// and gives the same labels. It needs a transposed copy of the rows.
//
// Cost: at most O(columns) for a row that keeps its label, O(k columns) for a searched row. Memory: 2 n numbers for the
// bounds, or n * columns for the transposed copy.
//
// G. Hamerly, "Making k-means even faster", SDM 2010.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "mbsc/base/aligned.h"
#include "mbsc/input.h"
#include "mbsc/kmeans/distances.h"
#include "mbsc/linalg/row_space.h"

namespace mbsc {

template <class T>
class Assignment {
 public:
  /// Every row starts unlabeled (-1); excluded rows stay unlabeled. `may_search`: search all centers if that is faster.
  Assignment(const RowSpace& space, MatrixView<const T> rows, std::span<const uint8_t> excluded,
             bool may_search = true);

  /// Assigns each row to its nearest center; returns the number of rows, over all ranks, whose label changed.
  int64_t update(const Matrix<double>& centers);
  /// Moves one row (`row` is its global number) to another cluster. The next update() searches the row again. All ranks
  /// must call this.
  void move(int64_t row, int32_t from, int32_t to);

  const std::vector<int32_t>& labels() const { return labels_; }
  std::vector<int32_t> take_labels() { return std::move(labels_); }
  /// The number of rows in each cluster, over all ranks.
  const std::vector<int64_t>& counts() const { return counts_; }

 private:
  struct Movement;
  /// Whether a search through all centers is faster than bounds.
  bool searches_all(int64_t clusters) const;
  void transpose_rows();
  int64_t update_by_search(const Matrix<double>& centers);
  int64_t update_by_bounds(const Matrix<double>& centers);
  /// Adds the changes to the cluster sizes; returns the number of rows whose label changed.
  int64_t count(const std::vector<double>& changes);
  bool keeps_label(int64_t row, int32_t own, const Movement& movement);
  void search(int64_t row, const CenterTile<T>& tile, std::span<T> distances);

  const RowSpace& space_;
  MatrixView<const T> rows_;
  std::span<const uint8_t> excluded_;
  bool may_search_;
  T slack_;
  Matrix<T> centers_;  // centers of the last update(), rounded to T
  std::vector<int32_t> labels_;
  std::vector<int64_t> counts_;
  std::vector<T> upper_;
  std::vector<T> lower_;
  AlignedVector<T> groups_;  // the transposed rows; empty until the first search through all centers
};

}  // namespace mbsc
