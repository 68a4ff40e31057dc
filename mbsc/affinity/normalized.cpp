// SPDX-License-Identifier: Apache-2.0
#include "mbsc/affinity/normalized.h"

#include <cmath>

#include "mbsc/base/float64.h"
#include "mbsc/base/require.h"
#include "mbsc/linalg/reduce.h"

namespace mbsc {

template <class T>
Normalized<T>::Normalized(const Affinity<T>& affinity, Degrees degrees, double regularization)
    : affinity_(&affinity),
      degrees_(std::move(degrees)),
      s_(degrees_.sum.size()),
      isolated_(degrees_.sum.size()),
      regularization_(regularization) {
  require(std::isfinite(regularization) && regularization >= 0, "regularization must be at least 0; got {}",
          regularization);
  const std::vector<double> sums = sum_over_blocks(rows(), 2, [&](int64_t, Range range, std::span<double> out) {
    for (int64_t i = range.begin; i < range.end; ++i) {
      out[0] += degrees_.sum[size_t(i)];
      out[1] += degrees_.sum[size_t(i)] > 0 ? 0 : 1;
    }
  });
  require(sums[0] > 0,
          "every affinity is zero: no point has a neighbor; with a kernel, choose a smaller gamma (a larger sigma)");
  tau_ = regularization * sums[0] / double(n());
  isolated_count_ = tau_ > 0 ? 0 : int64_t(sums[1]);
  for (size_t i = 0; i < s_.size(); ++i) {
    const double degree = degrees_.sum[i] + tau_;
    isolated_[i] = !(degree > 0);
    s_[i] = degree > 0 ? T(1 / std::sqrt(degree)) : T{};
  }
  all_s_ = comm().template gather<T>(s_);
}

namespace {

/// out = S Y. If `row_sums` is not null, Y has one more column than `out`, and this column is added to `row_sums`.
template <class T>
void scale_rows(const RowSpace& rows, std::span<const T> s, MatrixView<const T> Y, MatrixView<T> out,
                std::vector<double>* row_sums) {
  rows.for_each_block([&](int64_t, Range range) {
    for (int64_t i = range.begin; i < range.end; ++i) {
      for (int64_t c = 0; c < out.cols; ++c) out(i, c) = s[size_t(i)] * Y(i, c);
      if (row_sums) (*row_sums)[size_t(i)] += double(Y(i, out.cols));
    }
  });
}

}  // namespace

template <class T>
void Normalized<T>::multiply_columns(std::span<const int64_t> columns, MatrixView<const T> C, MatrixView<T> out,
                                     const StopToken& stop, std::vector<double>* row_sums) const {
  Matrix<T> scaled(C.rows, C.cols + (row_sums ? 1 : 0));
  for (int64_t j = 0; j < C.rows; ++j) {
    for (int64_t c = 0; c < C.cols; ++c) scaled(j, c) = inverse_root_degree(columns[j]) * C(j, c);
    if (row_sums) scaled(j, C.cols) = 1;
  }
  Matrix<T> wider(row_sums ? out.rows : 0, scaled.cols());
  const MatrixView<T> Y = row_sums ? wider.view() : out;
  affinity_->multiply_columns(columns, scaled, Y, stop);
  scale_rows<T>(rows(), s_, Y, out, row_sums);
}

template <class T>
void Normalized<T>::add_exact(MatrixView<const T> W, MatrixView<T> out) const {
  if (tau_ == 0) return;
  std::vector<double> projection = sum_over_blocks(rows(), W.cols, [&](int64_t, Range range, std::span<double> sum) {
    for (int64_t i = range.begin; i < range.end; ++i)
      for (int64_t c = 0; c < W.cols; ++c) sum[size_t(c)] += double(s_[size_t(i)]) * double(W(i, c));
  });
  for (double& p : projection) p *= tau_ / double(n());
  rows().for_each_block([&](int64_t, Range range) {
    for (int64_t i = range.begin; i < range.end; ++i)
      for (int64_t c = 0; c < W.cols; ++c) out(i, c) += T(double(s_[size_t(i)]) * projection[size_t(c)]);
  });
}

template <class T>
void Normalized<T>::multiply(MatrixView<const T> W, MatrixView<T> out, const StopToken& stop,
                             std::vector<double>* row_sums) const {
  multiply_scaled(W, out, stop, row_sums, false);
  add_exact(W, out);
}

template <class T>
void Normalized<T>::multiply_anew(MatrixView<const T> W, MatrixView<T> out, const StopToken& stop) const {
  multiply_scaled(W, out, stop, nullptr, true);
  add_exact(W, out);
}

template <class T>
void Normalized<T>::multiply_scaled(MatrixView<const T> W, MatrixView<T> out, const StopToken& stop,
                                    std::vector<double>* row_sums, bool anew) const {
  Matrix<T> scaled(W.rows, W.cols + (row_sums ? 1 : 0));
  rows().for_each_block([&](int64_t, Range range) {
    for (int64_t i = range.begin; i < range.end; ++i) {
      for (int64_t c = 0; c < W.cols; ++c) scaled(i, c) = s_[size_t(i)] * W(i, c);
      if (row_sums) scaled(i, W.cols) = 1;
    }
  });
  Matrix<T> wider(row_sums ? out.rows : 0, scaled.cols());
  const MatrixView<T> Y = row_sums ? wider.view() : out;
  anew ? affinity_->multiply_anew(scaled, Y, stop) : affinity_->multiply(scaled, Y, stop);
  scale_rows<T>(rows(), s_, Y, out, row_sums);
}

template <class T>
std::vector<double> Normalized<T>::hidden_diagonal() const {
  std::vector<double> diagonal(s_.size());
  for (size_t i = 0; i < s_.size(); ++i)
    if (degrees_.sum[i] > 0) diagonal[i] = affinity_->self_similarity() / degrees_.sum[i];
  return diagonal;
}

template <class T>
std::vector<double> Normalized<T>::definite_diagonal() const {
  std::vector<double> diagonal(s_.size());
  for (size_t i = 0; i < s_.size(); ++i) diagonal[i] = affinity_->self_similarity() * double(s_[i]) * double(s_[i]);
  return diagonal;
}

template <class T>
std::vector<double> Normalized<T>::column_squares() const {
  std::vector<double> squares(s_.size());
  for (size_t i = 0; i < s_.size(); ++i) {
    const double root = double(s_[i]);
    squares[i] = degrees_.squares.empty() ? (root > 0 ? 1 : 0) : degrees_.squares[i] * root * root * root * root;
  }
  return squares;
}

template <class T>
void Normalized<T>::evaluate_definite(Range range, const ColumnBlock<T>& block, MatrixView<T> out) const {
  block.evaluate(range, out);
  const std::span<const int64_t> columns = block.indices();
  const int64_t first = rows().own_rows().begin + range.begin;
  const T flat = T(tau_ / double(n())), self = T(affinity_->self_similarity());
  for (int64_t i = 0; i < range.size(); ++i)
    for (size_t j = 0; j < columns.size(); ++j) {
      T& a = out(i, int64_t(j));
      const T value = (columns[j] == first + i ? self : a) + flat;
      a = inverse_root_degree(first + i) * inverse_root_degree(columns[j]) * value;
    }
}

template <class T>
void Normalized<T>::evaluate_definite_square(std::span<const int64_t> points, MatrixView<T> out) const {
  affinity_->evaluate_square(points, out);
  const T flat = T(tau_ / double(n())), self = T(affinity_->self_similarity());
  for (size_t i = 0; i < points.size(); ++i)
    for (size_t j = 0; j < points.size(); ++j) {
      T& a = out(int64_t(i), int64_t(j));
      a = inverse_root_degree(points[i]) * inverse_root_degree(points[j]) * ((i == j ? self : a) + flat);
    }
}

template <class T>
void Normalized<T>::multiply_definite_columns(std::span<const int64_t> columns, MatrixView<const T> C,
                                              MatrixView<T> out, const StopToken& stop) const {
  multiply_columns(columns, C, out, stop);
  add_definite(columns, C, out);
}

template <class T>
void Normalized<T>::add_definite(std::span<const int64_t> columns, MatrixView<const T> C, MatrixView<T> out) const {
  std::vector<double> flat(size_t(C.cols));
  for (int64_t j = 0; j < C.rows; ++j)
    for (int64_t c = 0; c < C.cols; ++c)
      flat[size_t(c)] += tau_ / double(n()) * double(inverse_root_degree(columns[j])) * double(C(j, c));
  if (tau_ > 0)
    rows().for_each_block([&](int64_t, Range range) {
      for (int64_t i = range.begin; i < range.end; ++i)
        for (int64_t c = 0; c < out.cols; ++c) out(i, c) += T(double(s_[size_t(i)]) * flat[size_t(c)]);
    });
  const Range own = rows().own_rows();
  const T self = T(affinity_->self_similarity());
  for (int64_t j = 0; j < C.rows; ++j) {
    if (!own.contains(columns[j])) continue;
    const T root = inverse_root_degree(columns[j]);
    for (int64_t c = 0; c < C.cols; ++c) out(columns[j] - own.begin, c) += self * root * root * C(j, c);
  }
}

template class Normalized<float>;
MBSC_FLOAT64(template class Normalized<double>;)

}  // namespace mbsc
