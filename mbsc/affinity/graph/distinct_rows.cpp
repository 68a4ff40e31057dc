// SPDX-License-Identifier: Apache-2.0
#include "mbsc/affinity/graph/distinct_rows.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>

#include "mbsc/base/parallel.h"

namespace mbsc {
namespace {

/// Computes `starts` and `copies` from `of`.
void find_copies(int64_t count, DistinctRows& distinct) {
  distinct.starts.assign(size_t(count) + 1, 0);
  for (const int32_t row : distinct.of) ++distinct.starts[size_t(row) + 1];
  std::partial_sum(distinct.starts.begin(), distinct.starts.end(), distinct.starts.begin());
  std::vector<int64_t> next(distinct.starts.begin(), distinct.starts.end() - 1);
  distinct.copies.resize(distinct.of.size());
  for (size_t i = 0; i < distinct.of.size(); ++i) distinct.copies[size_t(next[size_t(distinct.of[i])]++)] = int32_t(i);
}

}  // namespace

uint64_t hash_of(const float* row, int64_t features) {
  uint64_t hash = 0x9e3779b97f4a7c15;
  for (int64_t f = 0; f < features; ++f) {
    hash = (hash ^ std::bit_cast<uint32_t>(row[f])) * 0xff51afd7ed558ccd;
    hash ^= hash >> 32;
  }
  return hash;
}

void round_row(const Points& points, int64_t i, Metric metric, float* out) {
  double largest = 0, squares = 0;
  if (metric == Metric::cosine) {
    for (int64_t f = 0; f < points.features; ++f) largest = std::max(largest, std::abs(points(i, f)));
    for (int64_t f = 0; f < points.features && largest > 0; ++f) squares += std::pow(points(i, f) / largest, 2);
  }
  const double root = std::sqrt(squares);
  for (int64_t f = 0; f < points.features; ++f) {
    const double x = root > 0 ? points(i, f) / largest / root : points(i, f);
    out[f] = float(x) + 0.0F;  // -0 becomes 0
  }
}

DistinctRows find_distinct(const Points& points, int threads, Metric metric) {
  const int64_t n = points.rows, d = points.features, chunk = 1024;
  Matrix<float> all(n, d);
  std::vector<std::pair<uint64_t, int32_t>> hashes(static_cast<size_t>(n));
  parallel_for(threads, (n + chunk - 1) / chunk, [&](int64_t c) {
    for (int64_t i = c * chunk; i < std::min(n, (c + 1) * chunk); ++i) {
      round_row(points, i, metric, all.row(i));
      hashes[size_t(i)] = {hash_of(all.row(i), d), int32_t(i)};
    }
  });
  std::sort(hashes.begin(), hashes.end());
  const auto equal = [&](int32_t i, int32_t j) {
    return std::memcmp(all.row(i), all.row(j), size_t(d) * sizeof(float)) == 0;
  };
  // For each point, find the first point that is equal to it. Points with equal hashes are compared with `kinds`, the
  // first point of each value so far.
  std::vector<int32_t> first(static_cast<size_t>(n));
  for (size_t begin = 0, end = 0; begin < hashes.size(); begin = end) {
    std::vector<int32_t> kinds;
    for (end = begin; end < hashes.size() && hashes[end].first == hashes[begin].first; ++end) {
      const int32_t i = hashes[end].second;
      const auto kind = std::find_if(kinds.begin(), kinds.end(), [&](int32_t j) { return equal(i, j); });
      first[size_t(i)] = kind == kinds.end() ? i : *kind;
      if (first[size_t(i)] == i) kinds.push_back(i);
    }
  }
  DistinctRows distinct;
  distinct.of.resize(size_t(n));
  int32_t count = 0;
  for (int64_t i = 0; i < n; ++i)
    distinct.of[size_t(i)] = first[size_t(i)] == i ? count++ : distinct.of[size_t(first[size_t(i)])];
  find_copies(count, distinct);
  if (count == n) {
    distinct.rows = std::move(all);
    return distinct;
  }
  distinct.rows = Matrix<float>(count, d);
  for (int32_t row = 0; row < count; ++row)
    std::copy_n(all.row(distinct.copies[size_t(distinct.starts[size_t(row)])]), d, distinct.rows.row(row));
  return distinct;
}

}  // namespace mbsc
