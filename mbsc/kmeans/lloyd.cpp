// SPDX-License-Identifier: Apache-2.0
#include "mbsc/kmeans/lloyd.h"

#include <algorithm>
#include <utility>

#include "mbsc/kmeans/assignment.h"
#include "mbsc/kmeans/distances.h"
#include "mbsc/kmeans/empty_clusters.h"
#include "mbsc/linalg/reduce.h"

namespace mbsc {
namespace {

/// The mean of each cluster's rows. Features go in chunks, so that block partials stay small for
/// many clusters.
template <class T>
Matrix<double> cluster_means(const RowSpace& space, MatrixView<const T> rows, std::span<const int32_t> labels,
                             std::span<const int64_t> counts) {
  constexpr int64_t partial_size = 4096;
  const auto clusters = static_cast<int64_t>(counts.size());
  const int64_t chunk = std::clamp<int64_t>(partial_size / clusters, 1, rows.cols);
  Matrix<double> means(clusters, rows.cols);
  for (int64_t first = 0; first < rows.cols; first += chunk) {
    const int64_t width = std::min(chunk, rows.cols - first);
    const std::vector<double> sums =
        sum_over_blocks(space, clusters * width, [&](int64_t, Range block, std::span<double> out) {
          for (int64_t i = block.begin; i < block.end; ++i) {
            if (labels[i] < 0) continue;
            const T* row = rows.row(i) + first;
            double* sum = &out[labels[i] * width];
            for (int64_t f = 0; f < width; ++f) sum[f] += static_cast<double>(row[f]);
          }
        });
    for (int64_t c = 0; c < clusters; ++c)
      for (int64_t f = 0; f < width; ++f) means(c, first + f) = sums[c * width + f] / static_cast<double>(counts[c]);
  }
  return means;
}

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
  KMeansResult result;
  bool settled = false;
  while (true) {
    const int64_t changed = assignment.update(centers);
    const Filling filling = fill_empty_clusters(space, rows, centers, assignment);
    result.converged = filling == Filling::splits_equal_rows || (filling == Filling::none && (changed == 0 || settled));
    if (result.converged || result.iterations >= limits.max_iterations || space.comm().broadcast(stop.stop_requested()))
      break;
    Matrix<double> means = cluster_means<T>(space, rows, assignment.labels(), assignment.counts());
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
template KMeansResult lloyd(const RowSpace&, MatrixView<const double>, std::span<const uint8_t>, Matrix<double>,
                            const LloydLimits&, const StopToken&);

}  // namespace mbsc
