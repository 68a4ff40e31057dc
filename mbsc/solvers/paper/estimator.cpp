// SPDX-License-Identifier: Apache-2.0
#include "mbsc/solvers/paper/estimator.h"

#include <algorithm>
#include <cmath>

#include "mbsc/base/float64.h"
#include "mbsc/base/random.h"
#include "mbsc/base/require.h"
#include "mbsc/linalg/tall.h"
#include "mbsc/solvers/batch_size.h"

namespace mbsc {
namespace {

/// The columns at positions [begin, begin + count) of the permutation with this key; fewer at its end.
std::vector<int64_t> permuted(int64_t n, const Random& random, uint64_t key, int64_t begin, int64_t count) {
  const KeyedPermutation permutation(n, random, key);
  std::vector<int64_t> columns(size_t(std::min(count, n - begin)));
  for (size_t i = 0; i < columns.size(); ++i) columns[i] = permutation(begin + int64_t(i));
  return columns;
}

/// Each index of [0, n) independently with probability p. Geometric skips avoid a test of every index.
std::vector<int64_t> bernoulli(int64_t n, double p, const Random& random, uint64_t key) {
  std::vector<int64_t> columns;
  double position = -1;
  for (uint64_t i = 0;; ++i) {
    const double u = 1 - random.uniform(key, i);
    position += p < 1 ? 1 + std::floor(std::log(u) / std::log1p(-p)) : 1;
    if (position >= double(n)) return columns;
    columns.push_back(int64_t(position));
  }
}

}  // namespace

BatchPlan::BatchPlan(int64_t n, const ClusterOptions& options) : n_(n), options_(options) {
  batch_size_ = options.batch_size.value_or(automatic_batch_size(n));
  require(batch_size_ >= 1 && batch_size_ <= n, "batch_size must be in [1, {}]; got {}", n, batch_size_);
  if (options.adagrad.estimator != Estimator::signs) return;
  if (options.adagrad.probability) {
    require(*options.adagrad.probability * double(n) >= 1 && *options.adagrad.probability <= 1,
            "probability must be in [1/{}, 1]; got {}", n, *options.adagrad.probability);
  } else {
    require(options.adagrad.nonzeros >= 1 && options.adagrad.nonzeros <= batch_size_,
            "nonzeros must be in [1, {}]; got {}", batch_size_, options.adagrad.nonzeros);
  }
}

std::vector<int64_t> BatchPlan::next_columns(int64_t t) const {
  const Random random(options_.seed, Stream::batch);
  if (options_.adagrad.sampling == Sampling::independent) return permuted(n_, random, uint64_t(t), 0, batch_size_);
  // The last batch of a pass takes the remaining columns.
  const int64_t batches = (n_ + batch_size_ - 1) / batch_size_;
  return permuted(n_, random, uint64_t(t / batches), t % batches * batch_size_, batch_size_);
}

BatchPlan::Draw BatchPlan::draw(int64_t t) const {
  if (options_.adagrad.estimator == Estimator::signs) return draw_signed(t);
  Draw draw;
  draw.vectors.push_back(next_columns(t));
  draw.scale = double(n_) / double(draw.vectors[0].size());
  return draw;
}

BatchPlan::Draw BatchPlan::draw_signed(int64_t t) const {
  const Random random(options_.seed, Stream::signs);
  Draw draw;
  if (options_.adagrad.probability) {
    const double p = *options_.adagrad.probability;
    const int64_t vectors = std::max<int64_t>(1, int64_t(std::llround(double(batch_size_) / (p * double(n_)))));
    for (int64_t v = 0; v < vectors; ++v)
      draw.vectors.push_back(bernoulli(n_, p, random, uint64_t(t * vectors + v) << 1));
    draw.scale = 1 / (double(vectors) * p);
  } else {
    const int64_t l = options_.adagrad.nonzeros;
    if (options_.adagrad.sampling == Sampling::independent) {
      const int64_t vectors = batch_size_ / l;
      for (int64_t v = 0; v < vectors; ++v)
        draw.vectors.push_back(permuted(n_, random, uint64_t(t * vectors + v), 0, l));
      draw.scale = double(n_) / double(vectors * l);
    } else {
      const std::vector<int64_t> columns = next_columns(t);
      draw.scale = double(n_) / double(columns.size());
      for (size_t at = 0; at < columns.size(); at += size_t(l))
        draw.vectors.emplace_back(columns.begin() + int64_t(at),
                                  columns.begin() + int64_t(std::min(columns.size(), at + size_t(l))));
    }
  }
  uint64_t number = 0;
  for (const auto& vector : draw.vectors) {
    auto& signs = draw.signs.emplace_back();
    for (size_t i = 0; i < vector.size(); ++i)
      signs.push_back((random.bits(uint64_t(t) | uint64_t{1} << 62, number++) >> 40) & 1 ? 1 : -1);
  }
  return draw;
}

template <class T>
Batch<T> make_batch(const BatchPlan& plan, int64_t t, const RowSpace& space, MatrixView<const T> W) {
  const BatchPlan::Draw draw = plan.draw(t);
  Batch<T> batch;
  for (const auto& vector : draw.vectors) batch.columns.insert(batch.columns.end(), vector.begin(), vector.end());
  std::sort(batch.columns.begin(), batch.columns.end());
  batch.columns.erase(std::unique(batch.columns.begin(), batch.columns.end()), batch.columns.end());
  Matrix<T> rows = gather_rows(space, W, batch.columns);
  const int64_t k = W.cols;
  if (draw.signs.empty()) {
    for (int64_t i = 0; i < rows.size(); ++i) rows.data()[i] = T(draw.scale * double(rows.data()[i]));
    batch.coefficients = std::move(rows);
    return batch;
  }
  batch.coefficients = Matrix<T>(rows.rows(), k);
  const auto place = [&](int64_t column) {
    return std::lower_bound(batch.columns.begin(), batch.columns.end(), column) - batch.columns.begin();
  };
  std::vector<double> sum(static_cast<size_t>(k));  // r'W of one vector
  for (size_t v = 0; v < draw.vectors.size(); ++v) {
    std::fill(sum.begin(), sum.end(), 0.0);
    for (size_t i = 0; i < draw.vectors[v].size(); ++i)
      for (int64_t c = 0; c < k; ++c) sum[size_t(c)] += draw.signs[v][i] * double(rows(place(draw.vectors[v][i]), c));
    for (size_t i = 0; i < draw.vectors[v].size(); ++i)
      for (int64_t c = 0; c < k; ++c)
        batch.coefficients(place(draw.vectors[v][i]), c) += T(draw.scale * draw.signs[v][i] * sum[size_t(c)]);
  }
  return batch;
}

template Batch<float> make_batch(const BatchPlan&, int64_t, const RowSpace&, MatrixView<const float>);
MBSC_FLOAT64(template Batch<double> make_batch(const BatchPlan&, int64_t, const RowSpace&, MatrixView<const double>);)

}  // namespace mbsc
