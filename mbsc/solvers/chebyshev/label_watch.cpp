// SPDX-License-Identifier: Apache-2.0
#include "mbsc/solvers/chebyshev/label_watch.h"

#include <algorithm>
#include <utility>

#include "mbsc/base/float64.h"
#include "mbsc/base/random.h"
#include "mbsc/kmeans/lloyd.h"
#include "mbsc/kmeans/rows.h"
#include "mbsc/linalg/tall.h"

namespace mbsc {

LabelWatch::LabelWatch(const RowSpace& space, std::span<const float> roots, const ClusterOptions& options)
    : options_(options), space_(space) {
  constexpr int64_t most = 20000;
  const int64_t n = space.n();
  const Range own = space.own_rows();
  const KeyedPermutation order(n, Random(options.seed, Stream::kmeans), ~uint64_t{0});
  std::vector<std::pair<int64_t, int64_t>> drawn;  // a row and its position in the random order
  for (int64_t first = 0; first < n && std::ssize(drawn) < most; first += most) {
    std::vector<int64_t> isolated;  // draws of own rows that are isolated
    const int64_t end = std::min(n, first + most);
    for (int64_t i = first; i < end; ++i)
      if (const int64_t row = order(i); own.contains(row) && !(roots[size_t(row - own.begin)] > 0))
        isolated.push_back(i);
    isolated = space.comm().gather<int64_t>(isolated);
    std::sort(isolated.begin(), isolated.end());
    for (int64_t i = first; i < end && std::ssize(drawn) < most; ++i)
      if (!std::binary_search(isolated.begin(), isolated.end(), i)) drawn.emplace_back(order(i), std::ssize(drawn));
  }
  std::sort(drawn.begin(), drawn.end());
  for (const auto& [row, position] : drawn) {
    sample_.push_back(row);
    position_.push_back(position);
  }
  const Matrix<float> gathered =
      gather_rows<float>(space, MatrixView<const float>(roots.data(), int64_t(roots.size()), 1), sample_);
  roots_.assign(gathered.data(), gathered.data() + gathered.size());
}

template <class T>
double LabelWatch::update(MatrixView<const T> vectors) {
  const Matrix<T> gathered = gather_rows<T>(space_, vectors, sample_);
  Matrix<float> rows(gathered.rows(), gathered.cols());
  for (int64_t p = 0; p < rows.rows(); ++p) {
    float* row = rows.row(position_[size_t(p)]);
    for (int64_t j = 0; j < rows.cols(); ++j) row[j] = float(gathered(p, j));
    scale_row({row, size_t(rows.cols())}, options_.embedding_scale, double(roots_[size_t(p)]));
  }
  return rows.rows() < options_.clusters ? 0 : cluster(rows);
}

double LabelWatch::cluster(const Matrix<float>& rows) {
  const RowSpace space(rows.rows(), space_.threads());
  const int64_t k = options_.clusters;
  const std::vector<int32_t> before = std::move(labels_);
  if (before.empty()) {
    KMeansOptions options;
    options.clusters = k;
    options.restarts = 3;
    options.seed = options_.seed;
    labels_ = kmeans<float>(space, rows, {}, options).labels;
    return 1;
  }
  Matrix<double> means = cluster_means(Points(rows.view()), space, before, k);
  labels_ = lloyd<float>(space, rows, {}, std::move(means), {.max_iterations = 20}, {}).labels;
  int64_t changed = 0;
  for (size_t p = 0; p < before.size(); ++p) changed += before[p] != labels_[p];
  return double(changed) / double(before.size());
}

template double LabelWatch::update(MatrixView<const float>);
MBSC_FLOAT64(template double LabelWatch::update(MatrixView<const double>);)

}  // namespace mbsc
