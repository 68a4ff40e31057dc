// SPDX-License-Identifier: Apache-2.0
#include "bench/convergence/measure.h"

#include <algorithm>
#include <cmath>

#include "mbsc/kmeans/kmeans.h"
#include "mbsc/metrics.h"
#include "mbsc/solvers/rayleigh_ritz.h"

namespace mbsc::bench {
namespace {

template <class To, class From>
Matrix<To> convert(MatrixView<const From> from) {
  Matrix<To> to(from.rows, from.cols);
  for (int64_t i = 0; i < from.rows; ++i)
    for (int64_t j = 0; j < from.cols; ++j) to(i, j) = To(from(i, j));
  return to;
}

double error_of(const RowSpace& space, const Reference& reference, MatrixView<const float> W) {
  Matrix<double> wide = convert<double>(W);
  orthonormalize<double>(space, wide);
  return subspace_error<double>(space, reference.vectors, wide);
}

/// h_c = D^1/2 1_c / sqrt(vol_c), so that the normalized cut is k - sum_c h_c'L h_c.
void fill_indicators(const Normalized<float>& L, const std::vector<int32_t>& labels, MatrixView<float> out) {
  std::vector<double> volume(size_t(out.cols), 0.0);
  for (size_t i = 0; i < labels.size(); ++i)
    if (labels[i] >= 0) volume[size_t(labels[i])] += L.degrees()[i];
  for (int64_t i = 0; i < out.rows; ++i) {
    const int32_t c = labels[size_t(i)];
    if (c >= 0) out(i, c) = float(std::sqrt(L.degrees()[size_t(i)] / volume[size_t(c)]));
  }
}

}  // namespace

Measurements::Measurements(const DataSet& set, const Normalized<float>& L, const Reference& reference, uint64_t seed)
    : set_(set), L_(L), reference_(reference), seed_(seed) {
  exact_.nmi = cluster(convert<float>(MatrixView<const double>(reference.vectors)));
}

double Measurements::cluster(MatrixView<const float> vectors) {
  KMeansOptions options;
  options.clusters = set_.clusters;
  options.seed = seed_;
  KMeansResult found = kmeans<float>(L_.rows(), vectors, L_.isolated(), options);
  std::vector<int32_t> truth, labels;  // without isolated points, which have no label
  for (size_t i = 0; i < found.labels.size(); ++i) {
    if (found.labels[i] < 0) continue;
    truth.push_back(set_.truth[i]);
    labels.push_back(found.labels[i]);
  }
  const double nmi = score_labels(truth, labels).nmi;
  if (set_.wants_cut) kept_.push_back({convert<float>(vectors), std::move(found.labels)});
  return nmi;
}

const Measurement& Measurements::add(const Outcome& outcome) {
  Measurement m;
  m.budget = outcome.budget;
  m.columns = outcome.columns;
  m.within_budget = double(outcome.columns) <= outcome.budget * double(L_.n()) + 1;
  m.seconds = outcome.seconds;
  m.landmarks = outcome.landmarks;
  m.block_columns = outcome.block.cols;
  m.block_error = error_of(L_.rows(), reference_, outcome.block);
  m.error = error_of(L_.rows(), reference_, outcome.vectors);
  m.nmi = cluster(outcome.vectors);
  m.largest_residual = outcome.largest_residual;
  return all_.emplace_back(m);
}

void Measurements::finish() {
  if (!set_.wants_cut) return;
  const int64_t k = set_.clusters, count = int64_t(kept_.size());
  Matrix<float> V(L_.n(), 2 * k * count), Y(L_.n(), 2 * k * count);
  const auto vectors = [&](Matrix<float>& M, int64_t i) { return M.view().columns_between(2 * k * i, 2 * k * i + k); };
  const auto indicators = [&](Matrix<float>& M, int64_t i) {
    return M.view().columns_between(2 * k * i + k, 2 * k * (i + 1));
  };
  for (int64_t i = 0; i < count; ++i) {
    copy<float>(L_.rows(), kept_[size_t(i)].vectors, vectors(V, i));
    orthonormalize<float>(L_.rows(), vectors(V, i));
    fill_indicators(L_, kept_[size_t(i)].labels, indicators(V, i));
  }
  L_.multiply(V, Y, {});
  for (int64_t i = 0; i < count; ++i) {
    Measurement& m = i == 0 ? exact_ : all_[size_t(i - 1)];
    m.normalized_cut = double(k) - gram<float>(L_.rows(), indicators(V, i), indicators(Y, i)).trace();
    EigenPairs<float> pairs;
    take_ritz_pairs<float>(L_.rows(), vectors(V, i), vectors(Y, i), k, pairs);
    m.largest_residual = mbsc::largest_residual(pairs);
  }
}

}  // namespace mbsc::bench
