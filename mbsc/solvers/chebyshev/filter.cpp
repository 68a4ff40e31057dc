// SPDX-License-Identifier: Apache-2.0
#include "mbsc/solvers/chebyshev/filter.h"

#include <algorithm>
#include <cmath>

#include "mbsc/base/float64.h"
#include "mbsc/linalg/dense.h"
#include "mbsc/linalg/tall.h"

namespace mbsc {
namespace {

/// out = a * Y + b * X + c * out.
template <class T>
void combine(const RowSpace& space, T a, MatrixView<const T> Y, T b, MatrixView<const T> X, T c, MatrixView<T> out) {
  space.for_each_block([&](int64_t, Range rows) {
    for (int64_t i = rows.begin; i < rows.end; ++i) {
      const T *y = Y.row(i), *x = X.row(i);
      T* o = out.row(i);
      for (int64_t j = 0; j < out.cols; ++j) o[j] = a * y[j] + b * x[j] + c * o[j];
    }
  });
}

}  // namespace

template <class T>
void filter_block(const RowSpace& space, const Multiply<T>& multiply, double cut, int64_t degree, Matrix<T>& W) {
  const double center = (cut - 1) / 2, half = (cut + 1) / 2;
  const double first = half / (1 - center);
  double sigma = first;
  Matrix<T> image(W.rows(), W.cols()), before = W;
  multiply(W, image);
  combine<T>(space, T(sigma / half), image, T(-center * sigma / half), before, 0, W);
  for (int64_t j = 2; j <= degree; ++j) {
    const double next = 1 / (2 / first - sigma);
    multiply(W, image);
    // before <- 2 next / half (L W - center W) - sigma next before
    combine<T>(space, T(2 * next / half), image, T(-2 * next * center / half), W, T(-sigma * next), before);
    std::swap(W, before);
    sigma = next;
  }
}

int64_t filter_degree(double value, double cut, double factor, int64_t least, int64_t most) {
  const double center = (cut - 1) / 2, half = (cut + 1) / 2, x = (value - center) / half;
  if (!(x > 1)) return most;
  const double rate = std::log(x + std::sqrt(x * x - 1));
  const double degree = std::ceil(std::log(2 * factor) / rate);
  return std::clamp<int64_t>(degree < 1e6 ? int64_t(degree) : most, least, most);
}

double filter_ratio(double low, double high, double cut, int64_t degree) {
  const double center = (cut - 1) / 2, half = (cut + 1) / 2;
  // log T_j(x), without overflow. For x <= 1 it is 0, because |T_j| is at most 1 in [-1, 1].
  const auto log_growth = [&](double value) {
    const double x = (value - center) / half;
    if (!(x > 1)) return 0.0;
    const double angle = double(degree) * std::acosh(x);
    return angle + std::log1p(std::exp(-2 * angle)) - std::log(2.0);
  };
  return std::exp(log_growth(low) - log_growth(high));
}

template <class T>
Eigen::VectorXd rotate_to_ritz(const RowSpace& space, const Multiply<T>& multiply, Matrix<T>& W, Matrix<T>& image) {
  image = Matrix<T>(W.rows(), W.cols());
  multiply(W, image);
  const SmallEigen ritz = eigen_descending(gram<T>(space, W, image));
  mbsc::multiply<T>(space, W, ritz.vectors, W);
  mbsc::multiply<T>(space, image, ritz.vectors, image);
  return ritz.values;
}

#define MBSC_INSTANTIATE(T)                                                                     \
  template void filter_block(const RowSpace&, const Multiply<T>&, double, int64_t, Matrix<T>&); \
  template Eigen::VectorXd rotate_to_ritz(const RowSpace&, const Multiply<T>&, Matrix<T>&, Matrix<T>&);
MBSC_INSTANTIATE(float)
MBSC_FLOAT64(MBSC_INSTANTIATE(double))
#undef MBSC_INSTANTIATE

}  // namespace mbsc
