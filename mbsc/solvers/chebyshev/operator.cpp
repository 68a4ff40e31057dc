// SPDX-License-Identifier: Apache-2.0
#include "mbsc/solvers/chebyshev/operator.h"

#include <cmath>
#include <utility>

#include "mbsc/base/float64.h"
#include "mbsc/linalg/dense.h"
#include "mbsc/linalg/reduce.h"
#include "mbsc/linalg/tall.h"
#include "mbsc/simd/level.h"
#include "mbsc/simd/sparse.h"

namespace mbsc {

template <class T>
Eigen::VectorXd Operator<T>::rotate_to_ritz(Matrix<T>& W, Matrix<T>& image) const {
  if (image.rows() != W.rows() || image.cols() != W.cols()) image = Matrix<T>(W.rows(), W.cols());
  multiply(W, image);
  const SmallEigen ritz = eigen_descending(gram<T>(space_, W, image));
  mbsc::multiply<T>(space_, W, ritz.vectors, W);
  mbsc::multiply<T>(space_, image, ritz.vectors, image);
  return ritz.values;
}

template <class T>
void NormalizedOperator<T>::filter(double cut, int64_t degree, Matrix<T>& W) const {
  Recurrence recurrence(cut);
  Matrix<T> image(W.rows(), W.cols()), before(W.rows(), W.cols());
  for (int64_t j = 0; j < degree; ++j) {
    const Recurrence::Step step = j == 0 ? recurrence.first() : recurrence.next();
    multiply(W, image);
    this->space().for_each_block([&](int64_t, Range rows) {
      for (int64_t at = rows.begin * W.cols(); at < rows.end * W.cols(); ++at)
        before.data()[at] =
            T(step.product) * image.data()[at] + T(step.same) * W.data()[at] + T(step.before) * before.data()[at];
    });
    std::swap(W, before);
  }
}

GraphOperator::GraphOperator(const SparseMatrix& graph, std::span<const double> degrees, double tau,
                             const RowSpace& space, const StopToken& stop)
    : Operator<float>(space),
      graph_(graph),
      roots_(degrees.size()),
      squares_(degrees.size()),
      flat_(tau / double(space.n())),
      stop_(stop) {
  for (size_t i = 0; i < degrees.size(); ++i) {
    if (!(degrees[i] + tau > 0)) continue;
    roots_[i] = float(1 / std::sqrt(degrees[i] + tau));
    squares_[i] = float(1 / (degrees[i] + tau));
  }
}

template <class Factor>
void GraphOperator::scale(MatrixView<const float> from, const Factor& factor, MatrixView<float> out) const {
  space().for_each_block([&](int64_t, Range rows) {
    for (int64_t i = rows.begin; i < rows.end; ++i) {
      const float f = factor(i);
      for (int64_t j = 0; j < out.cols; ++j) out(i, j) = f * from(i, j);
    }
  });
}

void GraphOperator::apply(MatrixView<float> Y, std::span<const float> factors, const Recurrence::Step& step,
                          MatrixView<float> out) const {
  if (stop_.stop_requested()) throw Stopped();
  simd::choose_level();
  const int64_t own = space().local_rows();
  graph_.others.fetch<float>(space().comm(), Y.rows_between(0, own), Y.row(own));
  std::vector<float> flat(size_t(Y.cols), 0);  // (tau/n) 1'Y
  if (flat_ > 0) {
    const std::vector<double> sums = sum_over_blocks(space(), Y.cols, [&](int64_t, Range rows, std::span<double> sum) {
      for (int64_t i = rows.begin; i < rows.end; ++i)
        for (int64_t j = 0; j < Y.cols; ++j) sum[size_t(j)] += double(Y(i, j));
    });
    for (size_t j = 0; j < flat.size(); ++j) flat[j] = float(flat_ * sums[j]);
  }
  const double edges = double(graph_.columns.size()) / double(std::max<int64_t>(1, graph_.rows()));
  const auto same = float(step.same), before = float(step.before);
  space().for_each_block(
      [&](int64_t, Range rows) {
        std::vector<float> sums(size_t(Y.cols));
        for (int64_t i = rows.begin; i < rows.end; ++i) {
          const int64_t first = graph_.starts[size_t(i)], count = graph_.starts[size_t(i + 1)] - first;
          simd::sparse_row(graph_.values.data() + first, graph_.columns.data() + first, count, Y.data, Y.stride, Y.cols,
                           sums.data());
          const float factor = float(step.product) * factors[size_t(i)];
          const float* y = Y.row(i);
          float* o = out.row(i);
          for (int64_t j = 0; j < Y.cols; ++j)
            o[j] = factor * (sums[size_t(j)] + flat[size_t(j)]) + same * y[j] + before * o[j];
        }
      },
      edges * double(Y.cols));
}

void GraphOperator::multiply(MatrixView<const float> V, MatrixView<float> out) const {
  Matrix<float> Y(V.rows + graph_.others.size(), V.cols);
  scale(
      V, [&](int64_t i) { return roots_[size_t(i)]; }, Y);
  apply(Y, roots_, {1, 0, 0}, out);
}

void GraphOperator::filter(double cut, int64_t degree, Matrix<float>& W) const {
  Recurrence recurrence(cut);
  const int64_t rows = W.rows() + graph_.others.size();
  const bool in_place = rows == W.rows();  // there are no rows of other ranks
  Matrix<float> Y;
  if (!in_place) Y = Matrix<float>(rows, W.cols());
  scale(
      W, [&](int64_t i) { return roots_[size_t(i)]; }, in_place ? W : Y);
  if (in_place) Y = std::move(W);
  Matrix<float> other(rows, Y.cols());
  for (int64_t j = 0; j < degree; ++j) {
    apply(Y, squares_, j == 0 ? recurrence.first() : recurrence.next(), other);
    std::swap(Y, other);
  }
  const auto inverse = [&](int64_t i) { return roots_[size_t(i)] > 0 ? 1 / roots_[size_t(i)] : 0; };
  if (in_place) W = std::move(Y);
  scale(in_place ? W : Y, inverse, W);
}

template class Operator<float>;
template class NormalizedOperator<float>;
MBSC_FLOAT64(template class Operator<double>;)
MBSC_FLOAT64(template class NormalizedOperator<double>;)

}  // namespace mbsc
