// SPDX-License-Identifier: Apache-2.0
#include <Eigen/Dense>
#include <algorithm>
#include <limits>

#include "mbsc/base/random.h"
#include "mbsc/model/products.h"

namespace mbsc {
namespace {

constexpr double sampled_rows = 1000;

/// The rows that E is fitted to, and their weights. Row i is drawn with probability m/2 (1/n + |w_i|^2 / k), with
/// m = sampled_rows. So the sample also covers a vector that is concentrated on few points. If n <= m, all rows are
/// used.
struct WeightedRows {
  std::vector<int64_t> rows;
  std::vector<double> weights;
};

WeightedRows draw_rows(MatrixView<const float> W, uint64_t seed) {
  const Random random(seed, Stream::extension);
  WeightedRows drawn;
  for (int64_t i = 0; i < W.rows; ++i) {
    double square = 0;
    for (int64_t c = 0; c < W.cols; ++c) square += double(W(i, c)) * double(W(i, c));
    const double probability = sampled_rows / 2 * (1 / double(W.rows) + square / double(W.cols));
    if (double(W.rows) > sampled_rows && random.uniform(uint64_t(i)) >= probability) continue;
    drawn.rows.push_back(i);
    drawn.weights.push_back(double(W.rows) > sampled_rows ? 1 / std::min(1.0, probability) : 1);
  }
  return drawn;
}

Matrix<double> diagonal_extension(std::span<const double> values, std::span<const double> residuals) {
  Matrix<double> E(std::ssize(values), std::ssize(values));
  for (size_t c = 0; c < values.size(); ++c) {
    const double square = values[c] * values[c] + residuals[c] * residuals[c];
    E(int64_t(c), int64_t(c)) = square > 0 ? values[c] / square : 0;
  }
  return E;
}

}  // namespace

Matrix<double> find_extension(const Model& model, const EigenPairs<float>& pairs, uint64_t seed, int threads,
                              const StopToken& stop) {
  check_model(model, model.points);
  if (pairs.weighted) return diagonal_extension(pairs.weighted->values, pairs.weighted->residuals);
  if (pairs.values_are_exact && pairs.residuals.size() == pairs.values.size())
    return diagonal_extension(pairs.values, pairs.residuals);
  const int64_t n = model.embedding.rows(), k = model.embedding.cols();
  const WeightedRows drawn = draw_rows(model.embedding, seed);
  std::vector<int64_t> zero(size_t(n), -1);
  for (size_t p = 0; p < drawn.rows.size(); ++p) zero[size_t(drawn.rows[p])] = int64_t(p);
  const Normalization norm = find_normalization(model, RowSpace(n, threads));
  const Matrix<double> Z = extended_products(model, model.points, {drawn.rows, zero}, norm, threads, stop);
  Eigen::MatrixXd ZZ = Eigen::MatrixXd::Zero(k, k), ZW = Eigen::MatrixXd::Zero(k, k);
  for (size_t p = 0; p < drawn.rows.size(); ++p)
    for (int64_t a = 0; a < k; ++a)
      for (int64_t b = 0; b < k; ++b) {
        const double z = drawn.weights[p] * Z(int64_t(p), a);
        ZZ(a, b) += z * Z(int64_t(p), b);
        ZW(a, b) += z * double(model.embedding(drawn.rows[p], b));
      }
  ZZ.diagonal().array() += 1e-12 * ZZ.trace() + std::numeric_limits<double>::min();
  const Eigen::MatrixXd solved = ZZ.ldlt().solve(ZW);
  Matrix<double> E(k, k);
  for (int64_t a = 0; a < k; ++a)
    for (int64_t b = 0; b < k; ++b) E(a, b) = solved(a, b);
  return E;
}

}  // namespace mbsc
