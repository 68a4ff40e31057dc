// SPDX-License-Identifier: Apache-2.0
#include "mbsc/affinity/scaling.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "mbsc/affinity/kernel/gathered_points.h"
#include "mbsc/base/parallel.h"
#include "mbsc/base/random.h"
#include "mbsc/base/require.h"
#include "mbsc/linalg/reduce.h"

namespace mbsc {
namespace {

struct FeatureStatistics {
  std::vector<double> least, largest, mean, deviation;
};

/// The statistics of each feature over the first `rows` rows of all ranks.
FeatureStatistics feature_statistics(const Points& points, int64_t rows, const RowSpace& space) {
  const int64_t d = points.features, own = std::clamp<int64_t>(rows - space.own_rows().begin, 0, points.rows);
  std::vector<double> shift(static_cast<size_t>(d));
  if (space.own_rows().contains(0))
    for (int64_t f = 0; f < d; ++f) shift[size_t(f)] = points.raw(0, f);
  space.comm().broadcast(std::span<double>(shift), space.rank_of_row(0));
  // The sums are relative to the first row. Otherwise a large offset would cancel the digits of the variance.
  const std::vector<double> sums = sum_over_blocks(space, 2 * d, [&](int64_t, Range range, std::span<double> out) {
    for (int64_t i = range.begin; i < std::min(range.end, own); ++i)
      for (int64_t f = 0; f < d; ++f) {
        const double x = points.raw(i, f) - shift[f];
        out[f] += x;
        out[d + f] += x * x;
      }
  });
  FeatureStatistics s{shift, shift, std::vector<double>(d), std::vector<double>(d)};
  for (int64_t i = 0; i < own; ++i)
    for (int64_t f = 0; f < d; ++f) {
      const double x = points.raw(i, f);
      s.least[f] = std::min(s.least[f], x);
      s.largest[f] = std::max(s.largest[f], x);
    }
  const std::vector<double> least = space.comm().gather<double>(s.least);
  const std::vector<double> largest = space.comm().gather<double>(s.largest);
  for (size_t i = 0; i < least.size(); ++i) {
    const size_t f = i % size_t(d);
    s.least[f] = std::min(s.least[f], least[i]);
    s.largest[f] = std::max(s.largest[f], largest[i]);
  }
  for (int64_t f = 0; f < d; ++f) {
    const double mean = sums[f] / double(rows);
    s.mean[f] = shift[f] + mean;
    s.deviation[f] = std::sqrt(std::max(0.0, sums[d + f] / double(rows) - mean * mean));
  }
  return s;
}

double squared_distance(const double* x, const double* y, int64_t features) {
  // Four independent sums, so that an addition does not wait for the previous one.
  double sums[4] = {};
  int64_t f = 0;
  for (; f + 4 <= features; f += 4)
    for (int64_t i = 0; i < 4; ++i) sums[i] += (x[f + i] - y[f + i]) * (x[f + i] - y[f + i]);
  for (; f < features; ++f) sums[0] += (x[f] - y[f]) * (x[f] - y[f]);
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + int64_t(values.size()) / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// A row of distances for each of at most 200 sampled points: the positive distances to at most 1,500 sampled points.
/// For rbf they are squared, because gamma multiplies squared distances there. A point without positive distances has
/// no row.
std::vector<std::vector<double>> sampled_lengths(const Points& points, KernelKind kind, uint64_t seed,
                                                 const RowSpace& space) {
  const int64_t n = space.n(), d = points.features, count = std::min<int64_t>(n, 1500);
  const KeyedPermutation permutation(n, Random(seed, Stream::gamma), 0);
  std::vector<int64_t> drawn;
  for (int64_t i = 0; i < count; ++i) drawn.push_back(permutation(i));
  Matrix<double> sample(count, d);
  const GatheredPoints gathered(space, points, drawn);
  for (int64_t i = 0; i < count; ++i)
    for (int64_t f = 0; f < d; ++f) sample(i, f) = gathered.points()(i, f);
  std::vector<std::vector<double>> lengths;
  const auto add_row = [&](const double* x) {
    std::vector<double> row;
    for (int64_t j = 0; j < count; ++j) {
      const double t = squared_distance(x, sample.row(j), d);
      if (t > 0) row.push_back(kind == KernelKind::rbf ? t : std::sqrt(t));
    }
    if (!row.empty()) lengths.push_back(std::move(row));
  };
  for (int64_t i = 0; i < std::min<int64_t>(count, 200); ++i) add_row(sample.row(i));
  // If all sampled points coincide, the first point that differs from them determines the scale.
  if (lengths.empty()) {
    const auto differs = [&](int64_t i) {
      for (int64_t f = 0; f < d; ++f)
        if (points(i, f) != sample(0, f)) return true;
      return false;
    };
    int64_t first = 0;
    while (first < points.rows && !differs(first)) ++first;
    std::vector<double> mine;
    for (int64_t f = 0; f < d && first < points.rows; ++f) mine.push_back(points(first, f));
    const std::vector<double> found = space.comm().gather<double>(mine);
    if (!found.empty()) add_row(found.data());
  }
  require(!lengths.empty(), "all {} points are equal; nothing to cluster", n);
  return lengths;
}

}  // namespace

void apply_scaling(Points& points, Scaling scaling, int64_t rows, const RowSpace& space) {
  require(rows >= 0 && rows <= space.n(), "scale_rows must be in [0, {}]; got {}", space.n(), rows);
  if (scaling == Scaling::none || space.n() == 0) return;
  const FeatureStatistics s = feature_statistics(points, rows == 0 ? space.n() : rows, space);
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

double choose_gamma(const Points& points, KernelKind kind, int64_t clusters, uint64_t seed, const RowSpace& space) {
  if (kind == KernelKind::cosine) return 1;
  const std::vector<std::vector<double>> lengths = sampled_lengths(points, kind, seed, space);
  std::vector<double> all;
  for (const auto& row : lengths) all.insert(all.end(), row.begin(), row.end());
  const double middle = median(all);
  // A lower bound of gamma: the value at which the median degree of the sampled points is this share of n. The share is
  // never below 12/n, because with fewer neighbors the outer points of a cloud become disconnected.
  const double share = std::max({1e-3, 0.03 / double(clusters), 12 / double(space.n())});
  double low = 1e-3 / middle, high = 1e6 / middle;
  std::vector<double> shares(lengths.size());
  for (int step = 0; step < 40; ++step) {
    const double gamma = std::sqrt(low * high);
    for (size_t i = 0; i < lengths.size(); ++i) {
      double sum = 0;
      for (const double t : lengths[i]) sum += std::exp(-gamma * t);
      shares[i] = sum / double(lengths[i].size());
    }
    (median(shares) > share ? low : high) = gamma;
  }
  return std::max((kind == KernelKind::rbf ? 16 : 4) / middle, std::sqrt(low * high));
}

namespace {

/// One row of each distinct value, the first one; at most `enough` rows.
std::vector<int64_t> distinct_rows(const Points& points, int64_t enough) {
  const auto less = [&](int64_t a, int64_t b) {
    for (int64_t f = 0; f < points.features; ++f) {
      const double x = points(a, f), y = points(b, f);
      if (x != y) return x < y;
    }
    return false;
  };
  std::set<int64_t, decltype(less)> distinct(less);
  for (int64_t i = 0; i < points.rows && int64_t(distinct.size()) < enough; ++i) distinct.insert(i);
  return {distinct.begin(), distinct.end()};
}

}  // namespace

int64_t count_distinct(const Points& points, int64_t enough, const RowSpace& space) {
  std::vector<int64_t> own = distinct_rows(points, enough);
  if (space.comm().size() == 1) return int64_t(own.size());
  for (int64_t& row : own) row += space.own_rows().begin;
  const GatheredPoints all(space, points, space.comm().gather<int64_t>(own));
  return int64_t(distinct_rows(all.points(), enough).size());
}

void check_finite(const Points& points, int threads) {
  const RowSpace space(points.rows, threads);
  const auto is_finite = [&](int64_t i) {
    for (int64_t f = 0; f < points.features; ++f)
      if (!std::isfinite(points.raw(i, f))) return false;
    return true;
  };
  // Threads visit the blocks in any order, so the first bad row is found for each block.
  std::vector<int64_t> first_bad(size_t(space.blocks().count()), points.rows);
  space.for_each_block([&](int64_t block, Range range) {
    int64_t i = range.begin;
    while (i < range.end && is_finite(i)) ++i;
    if (i < range.end) first_bad[size_t(block)] = i;
  });
  for (const int64_t i : first_bad)
    for (int64_t f = 0; i < points.rows && f < points.features; ++f)
      require(std::isfinite(points.raw(i, f)), "row {}, feature {}: {} is not allowed: values must be finite",
              points.first_row + i + 1, f + 1, points.raw(i, f));
}

}  // namespace mbsc
