// SPDX-License-Identifier: Apache-2.0
// Which center each row belongs to, kept up to date while the centers move.
//
// Hamerly's bounds: per row an upper bound u on the distance to its own center and a lower bound l
// on the distance to every other. When centers move, u grows by the drift of its center and l
// shrinks by the largest drift of the others. A row with
//     u < max(l, half the distance from its center to the nearest other center)
// keeps its label unseen. Bounds are widened by the rounding error of a distance, so that the
// labels are those of a plain search through all centers, ties to the lowest number, bit for bit.
//
// Where centers and columns are few, a search through all centers by SIMD (simd/nearest.h) is quicker than the bounds are
// kept, and gives the same labels; rows then lie transposed once more.
//
// Cost: O(n) for rows that keep their label, O(k columns) for each that is searched; 2 n numbers, or n columns.
//
// G. Hamerly, "Making k-means even faster", SDM 2010.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "mbsc/base/aligned.h"
#include "mbsc/base/matrix.h"
#include "mbsc/kmeans/distances.h"
#include "mbsc/linalg/row_space.h"

namespace mbsc {

template <class T>
class Assignment {
 public:
  /// Every row starts unlabeled (-1); excluded rows stay so. `may_search`: through all centers where that is quicker.
  Assignment(const RowSpace& space, MatrixView<const T> rows, std::span<const uint8_t> excluded,
             bool may_search = true);

  /// Gives each row its nearest center; returns how many rows of all ranks changed their label.
  int64_t update(const Matrix<double>& centers);
  /// Puts one row (by its global number; all ranks call) into another cluster. The next update()
  /// searches it anew.
  void move(int64_t row, int32_t from, int32_t to);

  const std::vector<int32_t>& labels() const { return labels_; }
  std::vector<int32_t> take_labels() { return std::move(labels_); }
  /// Rows of all ranks in each cluster.
  const std::vector<int64_t>& counts() const { return counts_; }

 private:
  struct Movement;
  /// Whether bounds are not worth it.
  bool searches_all(int64_t clusters) const;
  void transpose_rows();
  int64_t update_by_search(const Matrix<double>& centers);
  int64_t update_by_bounds(const Matrix<double>& centers);
  /// Adds how the numbers of rows have changed; returns how many rows have.
  int64_t count(const std::vector<double>& changes);
  bool keeps_label(int64_t row, int32_t own, const Movement& movement);
  void search(int64_t row, const CenterTile<T>& tile, std::span<T> distances);

  const RowSpace& space_;
  MatrixView<const T> rows_;
  std::span<const uint8_t> excluded_;
  bool may_search_;
  T slack_;
  Matrix<T> centers_;  // of the last update(), rounded to T
  std::vector<int32_t> labels_;
  std::vector<int64_t> counts_;
  std::vector<T> upper_;
  std::vector<T> lower_;
  AlignedVector<T> groups_;  // the rows, transposed; empty until they are searched so
};

}  // namespace mbsc
