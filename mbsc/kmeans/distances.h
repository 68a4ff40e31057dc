// SPDX-License-Identifier: Apache-2.0
// Squared distances from one row to a few centres, |x - c|^2 = sum_f (x_f - c_f)^2.
//
// Direct differences: exact zero for equal rows, relative error (columns + 3) / 2 units of epsilon
// whatever the offset of the data, and only half as much work again as |c|^2 - 2 x.c. Centres lie
// transposed and padded, so that the inner loop runs over centres in vector registers and each sum
// is made in the order of the features.
#pragma once

#include <cstdint>

#include "mbsc/base/matrix.h"

namespace mbsc {

/// |row - center|^2 in double.
template <class T>
double squared_distance(const T* row, const double* center, int64_t columns) {
  double sum = 0;
  for (int64_t f = 0; f < columns; ++f) {
    const double difference = static_cast<double>(row[f]) - center[f];
    sum += difference * difference;
  }
  return sum;
}

/// A few centres, ready for many rows.
template <class T>
class CenterTile {
 public:
  explicit CenterTile(const Matrix<double>& centers)
      : count_(centers.rows()),
        columns_(centers.cols()),
        padded_((count_ + narrow - 1) / narrow * narrow),
        by_feature_(columns_, padded_) {
    for (int64_t c = 0; c < count_; ++c)
      for (int64_t f = 0; f < columns_; ++f) by_feature_(f, c) = static_cast<T>(centers(c, f));
  }

  int64_t count() const { return count_; }
  /// What squared_distances() writes: count() distances, then filling that means nothing.
  int64_t padded() const { return padded_; }

  void squared_distances(const T* x, T* out) const {
    int64_t c = 0;
    for (; c + wide <= padded_; c += wide) distances_to<wide>(x, c, out + c);
    for (; c < padded_; c += narrow) distances_to<narrow>(x, c, out + c);
  }

 private:
  static constexpr int wide = 8;
  static constexpr int narrow = 4;

  template <int width>
  void distances_to(const T* x, int64_t first, T* out) const {
    T sum[width] = {};
    const T* centers = by_feature_.data() + first;
    for (int64_t f = 0; f < columns_; ++f, centers += padded_) {
      for (int c = 0; c < width; ++c) {
        const T difference = x[f] - centers[c];
        sum[c] += difference * difference;
      }
    }
    for (int c = 0; c < width; ++c) out[c] = sum[c];
  }

  int64_t count_;
  int64_t columns_;
  int64_t padded_;
  Matrix<T> by_feature_;  // columns x padded
};

}  // namespace mbsc
