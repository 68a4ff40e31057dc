// SPDX-License-Identifier: Apache-2.0
#include "mbsc/kmeans/empty_clusters.h"

#include <algorithm>
#include <span>
#include <vector>

#include "mbsc/base/float64.h"
#include "mbsc/kmeans/distances.h"

namespace mbsc {
namespace {

struct Farthest {
  double squared_distance = -1;
  int64_t row = -1;  // global
  int64_t cluster = -1;

  bool before(const Farthest& other) const {
    return squared_distance > other.squared_distance || (squared_distance == other.squared_distance && row < other.row);
  }
};

template <class T>
Farthest farthest_row(const RowSpace& space, MatrixView<const T> rows, const Matrix<double>& centers,
                      std::span<const int32_t> labels, std::span<const int64_t> counts) {
  std::vector<Farthest> found(space.own_blocks().size());
  space.for_each_block([&](int64_t block, Range range) {
    Farthest& best = found[block - space.own_blocks().begin];
    for (int64_t i = range.begin; i < range.end; ++i) {
      if (labels[i] < 0 || counts[labels[i]] < 2) continue;
      const Farthest here{squared_distance(rows.row(i), centers.row(labels[i]), rows.cols), space.own_rows().begin + i,
                          labels[i]};
      if (best.row < 0 || here.before(best)) best = here;
    }
  });
  Farthest best;
  for (const Farthest& here : space.comm().gather<Farthest>(found))
    if (here.row >= 0 && (best.row < 0 || here.before(best))) best = here;
  return best;
}

/// Returns, on all ranks, the row with this global number.
template <class T>
std::vector<double> fetch_row(const RowSpace& space, MatrixView<const T> rows, int64_t row) {
  std::vector<double> mine;
  if (space.own_rows().contains(row)) {
    const T* first = rows.row(row - space.own_rows().begin);
    mine.assign(first, first + rows.cols);
  }
  return space.comm().gather<double>(mine);
}

/// Whether a row equals its center up to rounding. If the center is the mean of equal rows, its relative rounding error
/// is that of a sum of at most a few thousand terms: 1e-13 at worst.
bool lies_on_center(double squared_distance, std::span<const double> row) {
  double square = 0;
  for (const double x : row) square += x * x;
  return squared_distance <= 1e-24 * square;
}

}  // namespace

template <class T>
Filling fill_empty_clusters(const RowSpace& space, MatrixView<const T> rows, Matrix<double>& centers,
                            Assignment<T>& assignment) {
  Filling filling = Filling::none;
  for (int64_t cluster = 0; cluster < centers.rows(); ++cluster) {
    if (assignment.counts()[cluster] > 0) continue;
    const Farthest farthest = farthest_row<T>(space, rows, centers, assignment.labels(), assignment.counts());
    const std::vector<double> row = fetch_row(space, rows, farthest.row);
    if (filling == Filling::none)
      filling = lies_on_center(farthest.squared_distance, row) ? Filling::splits_equal_rows : Filling::moved_centers;
    assignment.move(farthest.row, static_cast<int32_t>(farthest.cluster), static_cast<int32_t>(cluster));
    std::copy(row.begin(), row.end(), centers.row(cluster));
  }
  return filling;
}

template Filling fill_empty_clusters(const RowSpace&, MatrixView<const float>, Matrix<double>&, Assignment<float>&);
MBSC_FLOAT64(template Filling fill_empty_clusters(const RowSpace&, MatrixView<const double>, Matrix<double>&,
                                                  Assignment<double>&);)

}  // namespace mbsc
