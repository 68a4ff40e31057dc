// SPDX-License-Identifier: Apache-2.0
#include "mbsc/kmeans/lloyd.h"

#include <algorithm>
#include <utility>

#include "mbsc/base/float64.h"
#include "mbsc/kmeans/assignment.h"
#include "mbsc/kmeans/distances.h"
#include "mbsc/kmeans/empty_clusters.h"
#include "mbsc/linalg/reduce.h"

namespace mbsc {
namespace {

/// The sum of the rows of each cluster. An update processes only rows whose label has changed. After the first rounds
/// these are few.
template <class T>
class ClusterSums {
 public:
  ClusterSums(const RowSpace& space, MatrixView<const T> rows, int64_t clusters)
      : space_(space), rows_(rows), sums_(clusters, rows.cols), counted_(static_cast<size_t>(rows.rows), -1) {}

  /// The mean of each cluster. Features are processed in chunks, so that block partials stay small even with many
  /// clusters.
  Matrix<double> means(std::span<const int32_t> labels, std::span<const int64_t> counts) {
    constexpr int64_t partial_size = 4096;
    const int64_t clusters = sums_.rows(), chunk = std::clamp<int64_t>(partial_size / clusters, 1, rows_.cols);
    Matrix<double> means(clusters, rows_.cols);
    for (int64_t first = 0; first < rows_.cols; first += chunk) {
      const int64_t width = std::min(chunk, rows_.cols - first);
      const std::vector<double> changes =
          sum_over_blocks(space_, clusters * width, [&](int64_t, Range block, std::span<double> out) {
            for (int64_t i = block.begin; i < block.end; ++i) {
              const int32_t before = counted_[i], now = labels[i];
              if (before == now) continue;
              const T* row = rows_.row(i) + first;
              for (int64_t f = 0; f < width; ++f) {
                if (before >= 0) out[before * width + f] -= static_cast<double>(row[f]);
                if (now >= 0) out[now * width + f] += static_cast<double>(row[f]);
              }
            }
          });
      for (int64_t c = 0; c < clusters; ++c)
        for (int64_t f = 0; f < width; ++f) {
          sums_(c, first + f) += changes[c * width + f];
          means(c, first + f) = sums_(c, first + f) / static_cast<double>(counts[c]);
        }
    }
    std::copy(labels.begin(), labels.end(), counted_.begin());
    return means;
  }

 private:
  const RowSpace& space_;
  const MatrixView<const T> rows_;
  Matrix<double> sums_;
  std::vector<int32_t> counted_;  ///< the cluster each row was counted in
};

double squared_shift(const Matrix<double>& before, const Matrix<double>& after) {
  double sum = 0;
  for (int64_t i = 0; i < before.size(); ++i) {
    const double shift = after.data()[i] - before.data()[i];
    sum += shift * shift;
  }
  return sum;
}

template <class T>
double sum_of_squared_distances(const RowSpace& space, MatrixView<const T> rows, std::span<const int32_t> labels,
                                const Matrix<double>& centers) {
  return sum_over_blocks(space, 1, [&](int64_t, Range block, std::span<double> out) {
    for (int64_t i = block.begin; i < block.end; ++i)
      if (labels[i] >= 0) out[0] += squared_distance(rows.row(i), centers.row(labels[i]), rows.cols);
  })[0];
}

}  // namespace

template <class T>
KMeansResult lloyd(const RowSpace& space, MatrixView<const T> rows, std::span<const uint8_t> excluded,
                   Matrix<double> centers, const LloydLimits& limits, const StopToken& stop) {
  Assignment<T> assignment(space, rows, excluded);
  ClusterSums<T> sums(space, rows, centers.rows());
  KMeansResult result;
  bool settled = false;
  while (true) {
    const int64_t changed = assignment.update(centers);
    const Filling filling = fill_empty_clusters(space, rows, centers, assignment);
    result.converged = filling == Filling::splits_equal_rows || (filling == Filling::none && (changed == 0 || settled));
    if (result.converged || result.iterations >= limits.max_iterations || space.comm().broadcast(stop.stop_requested()))
      break;
    Matrix<double> means = sums.means(assignment.labels(), assignment.counts());
    settled = squared_shift(centers, means) <= limits.shift;
    centers = std::move(means);
    ++result.iterations;
  }
  result.labels = assignment.take_labels();
  result.inertia = sum_of_squared_distances<T>(space, rows, result.labels, centers);
  result.centers = std::move(centers);
  return result;
}

template KMeansResult lloyd(const RowSpace&, MatrixView<const float>, std::span<const uint8_t>, Matrix<double>,
                            const LloydLimits&, const StopToken&);
MBSC_FLOAT64(template KMeansResult lloyd(const RowSpace&, MatrixView<const double>, std::span<const uint8_t>,
                                         Matrix<double>, const LloydLimits&, const StopToken&);)

}  // namespace mbsc
