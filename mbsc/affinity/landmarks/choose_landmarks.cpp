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

/// Up to `count` points, drawn at random without replacement, in the order of their numbers, on every rank. Collective.
Matrix<float> draw_points(const Points& points, const RowSpace& rows, int64_t count, uint64_t seed) {
  count = std::min(count, rows.n());
  const KeyedPermutation order(rows.n(), Random(seed, Stream::landmarks), 0);
  std::vector<int64_t> drawn(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) drawn[size_t(i)] = order(i);
  std::sort(drawn.begin(), drawn.end());
  std::vector<float> mine;
  for (const int64_t point : drawn) {
    if (!rows.own_rows().contains(point)) continue;
    for (int64_t f = 0; f < points.features; ++f)
      mine.push_back(float(points(point - rows.own_rows().begin, f)) + 0.0F);
  }
  mine = rows.comm().gather<float>(mine);
  Matrix<float> sample(count, points.features);
  std::copy(mine.begin(), mine.end(), sample.data());
  return sample;
}

/// The nearest center of each row of the sample. Each rank searches its share of the sample. Collective.
std::vector<int32_t> find_nearest(const Matrix<float>& sample, const Matrix<float>& centers, const RowSpace& rows,
                                  uint64_t seed, const StopToken& stop) {
  const Comm& comm = rows.comm();
  const int64_t begin = sample.rows() * comm.rank() / comm.size(),
                end = sample.rows() * (comm.rank() + 1) / comm.size();
  const LandmarkSearch search(centers, seed, rows.threads());
  const Points share(sample.view().rows_between(begin, end));
  return comm.gather<int32_t>(search.find(share, 1, rows.threads(), stop).landmarks);
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

Matrix<float> choose_landmarks(const Points& points, const RowSpace& rows, int64_t count, uint64_t seed,
                               const StopToken& stop) {
  const Matrix<float> sample = draw_points(points, rows, 10 * count, seed);
  DistinctRows distinct = find_distinct(Points(sample.view()), rows.threads());
  if (distinct.count() <= count) return std::move(distinct.rows);
  const KeyedPermutation order(distinct.count(), Random(seed, Stream::landmarks), 2);
  Matrix<float> centers(count, points.features);
  for (int64_t c = 0; c < count; ++c) std::copy_n(distinct.rows.row(order(c)), points.features, centers.row(c));
  for (int round = 0; round < rounds; ++round)
    move_centers(sample, find_nearest(sample, centers, rows, seed, stop), centers);
  return centers;
}

}  // namespace mbsc
