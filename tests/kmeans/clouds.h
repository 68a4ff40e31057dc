// SPDX-License-Identifier: Apache-2.0
// Data for the tests of k-means.
#pragma once

#include <cmath>
#include <vector>

#include "mbsc/base/random.h"
#include "mbsc/input.h"

namespace mbsc {

/// n rows around `groups` standard normal centers; row i is near center i mod groups.
template <class T>
Matrix<T> make_clouds(int64_t n, int64_t columns, int64_t groups, double spread, uint64_t seed = 1) {
  const Random random(seed, Stream::test);
  const uint64_t centers = uint64_t{1} << 40;
  Matrix<T> rows(n, columns);
  for (int64_t i = 0; i < n; ++i)
    for (int64_t f = 0; f < columns; ++f)
      rows(i, f) = static_cast<T>(random.normal(i % groups, centers + f) + spread * random.normal(i, f));
  return rows;
}

/// The nearest center by a search through all of them, in the arithmetic of T; ties go to the lowest number.
template <class T>
int32_t nearest_center(const T* row, const Matrix<double>& centers) {
  int32_t nearest = 0;
  T least = 0;
  for (int32_t c = 0; c < centers.rows(); ++c) {
    T sum = 0;
    for (int64_t f = 0; f < centers.cols(); ++f) {
      const T difference = row[f] - static_cast<T>(centers(c, f));
      sum += difference * difference;
    }
    if (c == 0 || sum < least) {
      nearest = c;
      least = sum;
    }
  }
  return nearest;
}

template <class T>
std::vector<int32_t> nearest_centers(const Matrix<T>& rows, const Matrix<double>& centers) {
  std::vector<int32_t> labels;
  for (int64_t i = 0; i < rows.rows(); ++i) labels.push_back(nearest_center(rows.row(i), centers));
  return labels;
}

inline std::vector<int64_t> cluster_sizes(const std::vector<int32_t>& labels, int64_t clusters) {
  std::vector<int64_t> sizes(clusters);
  for (const int32_t label : labels)
    if (label >= 0) ++sizes[label];
  return sizes;
}

}  // namespace mbsc
