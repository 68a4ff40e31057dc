// SPDX-License-Identifier: Apache-2.0
#include "mbsc/affinity/landmarks/choose_landmarks.h"

#include <algorithm>
#include <vector>

#include "mbsc/affinity/graph/distinct_rows.h"
#include "mbsc/affinity/landmarks/landmark_search.h"
#include "mbsc/base/random.h"

namespace mbsc {
namespace {

constexpr int rounds = 8;

/// Up to `count` points, drawn at random without replacement, in the order of their numbers.
Matrix<float> draw_points(const Points& points, int64_t count, uint64_t seed) {
  count = std::min(count, points.rows);
  const KeyedPermutation order(points.rows, Random(seed, Stream::landmarks), 0);
  std::vector<int64_t> drawn(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) drawn[size_t(i)] = order(i);
  std::sort(drawn.begin(), drawn.end());
  Matrix<float> sample(count, points.features);
  for (int64_t i = 0; i < count; ++i)
    for (int64_t f = 0; f < points.features; ++f) sample(i, f) = float(points(drawn[size_t(i)], f)) + 0.0F;
  return sample;
}

/// Moves each center to the mean of the rows that are nearest to it. A center without rows stays.
void move_centers(const Matrix<float>& rows, const std::vector<int32_t>& nearest, Matrix<float>& centers) {
  Matrix<double> sums(centers.rows(), centers.cols());
  std::vector<double> sizes(size_t(centers.rows()));
  for (int64_t i = 0; i < rows.rows(); ++i) {
    const int32_t c = nearest[size_t(i)];
    for (int64_t f = 0; f < rows.cols(); ++f) sums(c, f) += double(rows(i, f));
    ++sizes[size_t(c)];
  }
  for (int64_t c = 0; c < centers.rows(); ++c)
    for (int64_t f = 0; f < centers.cols() && sizes[size_t(c)] > 0; ++f)
      centers(c, f) = float(sums(c, f) / sizes[size_t(c)]);
}

}  // namespace

Matrix<float> choose_landmarks(const Points& points, int64_t count, uint64_t seed, int threads, const StopToken& stop) {
  const Matrix<float> sample = draw_points(points, 10 * count, seed);
  DistinctRows distinct = find_distinct(Points(sample.view()), threads);
  if (distinct.count() <= count) return std::move(distinct.rows);
  const KeyedPermutation order(distinct.count(), Random(seed, Stream::landmarks), 2);
  Matrix<float> centers(count, points.features);
  for (int64_t c = 0; c < count; ++c) std::copy_n(distinct.rows.row(order(c)), points.features, centers.row(c));
  for (int round = 0; round < rounds; ++round) {
    const LandmarkSearch search(centers, seed, threads);
    move_centers(sample, search.find(Points(sample.view()), 1, threads, stop).landmarks, centers);
  }
  return centers;
}

}  // namespace mbsc
