// SPDX-License-Identifier: Apache-2.0
#include "mbsc/solvers/chebyshev/label_watch.h"

#include "mbsc/base/float64.h"
#include "mbsc/base/random.h"
#include "mbsc/kmeans/lloyd.h"
#include "mbsc/kmeans/rows.h"

namespace mbsc {

LabelWatch::LabelWatch(std::span<const float> roots, const ClusterOptions& options, int threads)
    : options_(options), threads_(threads) {
  constexpr int64_t most = 20000;
  const auto n = int64_t(roots.size());
  const KeyedPermutation order(n, Random(options.seed, Stream::kmeans), ~uint64_t{0});
  for (int64_t i = 0; i < n && std::ssize(sample_) < most; ++i) {
    const int64_t row = order(i);
    if (!(roots[size_t(row)] > 0)) continue;
    sample_.push_back(row);
    roots_.push_back(roots[size_t(row)]);
  }
}

template <class T>
double LabelWatch::update(MatrixView<const T> vectors) {
  Matrix<float> rows(std::ssize(sample_), vectors.cols);
  for (int64_t p = 0; p < rows.rows(); ++p) {
    for (int64_t j = 0; j < vectors.cols; ++j) rows(p, j) = float(vectors(sample_[size_t(p)], j));
    scale_row({rows.row(p), size_t(rows.cols())}, options_.embedding_scale, double(roots_[size_t(p)]));
  }
  return rows.rows() < options_.clusters ? 0 : cluster(rows);
}

double LabelWatch::cluster(const Matrix<float>& rows) {
  const RowSpace space(rows.rows(), threads_);
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
