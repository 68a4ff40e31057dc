// SPDX-License-Identifier: Apache-2.0
#include "mbsc/affinity/scaling.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "mbsc/base/parallel.h"
#include "mbsc/base/random.h"
#include "mbsc/base/require.h"
#include "mbsc/linalg/reduce.h"

namespace mbsc {
namespace {

struct FeatureStatistics {
  std::vector<double> least, largest, mean, deviation;
};

FeatureStatistics feature_statistics(const Points& points, int64_t rows, int threads) {
  const int64_t d = points.features;
  const RowSpace space(rows, threads);
  std::vector<double> shift(d);
  for (int64_t f = 0; f < d; ++f) shift[f] = points.raw(0, f);
  // Sums relative to the first row: a large offset must not cost the variance its digits.
  const std::vector<double> sums = sum_over_blocks(space, 2 * d, [&](int64_t, Range range, std::span<double> out) {
    for (int64_t i = range.begin; i < range.end; ++i)
      for (int64_t f = 0; f < d; ++f) {
        const double x = points.raw(i, f) - shift[f];
        out[f] += x;
        out[d + f] += x * x;
      }
  });
  FeatureStatistics s{shift, shift, std::vector<double>(d), std::vector<double>(d)};
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t f = 0; f < d; ++f) {
      const double x = points.raw(i, f);
      s.least[f] = std::min(s.least[f], x);
      s.largest[f] = std::max(s.largest[f], x);
    }
  for (int64_t f = 0; f < d; ++f) {
    const double mean = sums[f] / double(rows);
    s.mean[f] = shift[f] + mean;
    s.deviation[f] = std::sqrt(std::max(0.0, sums[d + f] / double(rows) - mean * mean));
  }
  return s;
}

double squared_distance(const double* x, const double* y, int64_t features) {
  double sum = 0;
  for (int64_t f = 0; f < features; ++f) sum += (x[f] - y[f]) * (x[f] - y[f]);
  return sum;
}

}  // namespace

void apply_scaling(Points& points, Scaling scaling, int64_t rows, int threads) {
  if (scaling == Scaling::none) return;
  require(rows >= 0 && rows <= points.rows, "scale_rows must be in [0, {}]; got {}", points.rows, rows);
  const FeatureStatistics s = feature_statistics(points, rows == 0 ? points.rows : rows, threads);
  points.shift.resize(points.features);
  points.scale.resize(points.features);
  for (int64_t f = 0; f < points.features; ++f) {
    const double range = s.largest[f] - s.least[f];
    double width = range;
    points.shift[f] = s.least[f];
    if (scaling == Scaling::symmetric) {
      points.shift[f] = s.least[f] + range / 2;
      width = range / 2;
    } else if (scaling == Scaling::standard) {
      points.shift[f] = s.mean[f];
      width = s.deviation[f];
    }
    points.scale[f] = range > 0 && width > 0 ? 1 / width : 0;
  }
}

double choose_gamma(const Points& points, KernelKind kind, uint64_t seed) {
  if (kind == KernelKind::cosine) return 1;
  const int64_t count = std::min<int64_t>(points.rows, 500), d = points.features;
  const KeyedPermutation permutation(points.rows, Random(seed, Stream::gamma), 0);
  Matrix<double> sample(count, d);
  const auto take = [&](int64_t row, int64_t to) {
    for (int64_t f = 0; f < d; ++f) sample(to, f) = points(row, f);
  };
  std::vector<double> distances;
  for (int64_t a = 0; a < count; ++a) {
    take(permutation(a), a);
    for (int64_t b = 0; b < a; ++b) {
      const double t = squared_distance(sample.row(a), sample.row(b), d);
      if (t > 0) distances.push_back(t);
    }
  }
  // A sample of coincident points only: any two distinct ones tell the scale.
  for (int64_t i = 0; i < points.rows && distances.empty() && count > 1; ++i) {
    take(i, 1);
    const double t = squared_distance(sample.row(0), sample.row(1), d);
    if (t > 0) distances.push_back(t);
  }
  require(!distances.empty(), "all {} points are equal; nothing to cluster", points.rows);
  const auto middle = distances.begin() + int64_t(distances.size()) / 2;
  std::nth_element(distances.begin(), middle, distances.end());
  return kind == KernelKind::rbf ? 16 / *middle : 4 / std::sqrt(*middle);
}

int64_t count_distinct(const Points& points, int64_t enough) {
  const auto less = [&](int64_t a, int64_t b) {
    for (int64_t f = 0; f < points.features; ++f) {
      const double x = points(a, f), y = points(b, f);
      if (x != y) return x < y;
    }
    return false;
  };
  std::set<int64_t, decltype(less)> distinct(less);
  for (int64_t i = 0; i < points.rows && int64_t(distinct.size()) < enough; ++i) distinct.insert(i);
  return int64_t(distinct.size());
}

void check_finite(const Points& points, int threads) {
  const RowSpace space(points.rows, threads);
  const auto is_finite = [&](int64_t i) {
    for (int64_t f = 0; f < points.features; ++f)
      if (!std::isfinite(points.raw(i, f))) return false;
    return true;
  };
  // The first bad row of each block: threads meet theirs in any order.
  std::vector<int64_t> first_bad(size_t(space.blocks().count()), points.rows);
  space.for_each_block([&](int64_t block, Range range) {
    int64_t i = range.begin;
    while (i < range.end && is_finite(i)) ++i;
    if (i < range.end) first_bad[size_t(block)] = i;
  });
  for (const int64_t i : first_bad)
    for (int64_t f = 0; i < points.rows && f < points.features; ++f)
      require(std::isfinite(points.raw(i, f)), "row {}, feature {}: {} is not allowed", i + 1, f + 1,
              points.raw(i, f));
}

}  // namespace mbsc
