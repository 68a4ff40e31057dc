// SPDX-License-Identifier: Apache-2.0
// Squared distances from one row to a few centers, |x - c|^2 = sum_f (x_f - c_f)^2.
//
// Direct differences give an exact zero for equal rows, and a relative error of (columns + 3) / 2 units of epsilon for
// any offset of the data. They cost only 1.5 times as much as |c|^2 - 2 x.c. The centers are stored transposed and
// padded, so the inner loop runs over centers in vector registers. Each sum is computed in the order of the features.
#pragma once

#include <cstdint>
#include <cstring>

#include "mbsc/input.h"

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

/// Vectors of 16 bytes, which every x86-64 and ARM64 processor has. They are explicit, because compilers would
/// vectorize the loop over features instead.
template <class T>
struct Lanes {
  typedef T Vector __attribute__((vector_size(16)));
  static constexpr int64_t count = 16 / sizeof(T);
  static Vector load(const T* from) {
    Vector v;
    std::memcpy(&v, from, sizeof v);
    return v;
  }
};

/// |a - b|^2 in T, as fast as possible. The order of the sum differs from that of CenterTile.
template <class T>
T loose_squared_distance(const T* a, const T* b, int64_t columns) {
  typename Lanes<T>::Vector sums = {};
  int64_t f = 0;
  for (; f + Lanes<T>::count <= columns; f += Lanes<T>::count) {
    const auto difference = Lanes<T>::load(a + f) - Lanes<T>::load(b + f);
    sums += difference * difference;
  }
  T sum = 0;
  for (; f < columns; ++f) sum += (a[f] - b[f]) * (a[f] - b[f]);
  for (int lane = 0; lane < Lanes<T>::count; ++lane) sum += sums[lane];
  return sum;
}

/// A few centers, packed for distances to many rows.
template <class T>
class CenterTile {
 public:
  explicit CenterTile(const Matrix<double>& centers)
      : count_(centers.rows()),
        columns_(centers.cols()),
        padded_((count_ + lanes - 1) / lanes * lanes),
        by_feature_(columns_, padded_) {
    for (int64_t c = 0; c < count_; ++c)
      for (int64_t f = 0; f < columns_; ++f) by_feature_(f, c) = static_cast<T>(centers(c, f));
  }

  int64_t count() const { return count_; }
  /// The number of values that squared_distances() writes: count() distances, then meaningless padding.
  int64_t padded() const { return padded_; }

  void squared_distances(const T* x, T* out) const {
    int64_t c = 0;
    for (; c + 4 * lanes <= padded_; c += 4 * lanes) distances_to<4>(x, c, out + c);
    for (; c + 2 * lanes <= padded_; c += 2 * lanes) distances_to<2>(x, c, out + c);
    for (; c < padded_; c += lanes) distances_to<1>(x, c, out + c);
  }

 private:
  using Vector = typename Lanes<T>::Vector;
  static constexpr int64_t lanes = Lanes<T>::count;

  template <int vectors>
  void distances_to(const T* x, int64_t first, T* out) const {
    Vector sum[vectors] = {};
    const T* centers = by_feature_.data() + first;
    for (int64_t f = 0; f < columns_; ++f, centers += padded_) {
      for (int v = 0; v < vectors; ++v) {
        const Vector difference = x[f] - Lanes<T>::load(centers + v * lanes);
        sum[v] += difference * difference;
      }
    }
    std::memcpy(out, sum, sizeof sum);
  }

  int64_t count_;
  int64_t columns_;
  int64_t padded_;
  Matrix<T> by_feature_;  // columns x padded
};

}  // namespace mbsc
