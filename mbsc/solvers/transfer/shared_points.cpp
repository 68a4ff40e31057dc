// SPDX-License-Identifier: Apache-2.0
#include "mbsc/solvers/transfer/shared_points.h"

#include <algorithm>
#include <numeric>

#include "mbsc/base/parallel.h"
#include "mbsc/linalg/reduce.h"

namespace mbsc {
namespace {

/// The points that are joined to each landmark, in ascending order.
struct Members {
  std::vector<int64_t> starts;
  std::vector<int32_t> points;
};

Members find_members(const LandmarkFactor& factor) {
  Members members;
  members.starts.assign(size_t(factor.size()) + 1, 0);
  const auto is_edge = [&](size_t e) { return factor.weights[e] > 0; };
  for (size_t e = 0; e < factor.columns.size(); ++e)
    if (is_edge(e)) ++members.starts[size_t(factor.columns[e]) + 1];
  std::partial_sum(members.starts.begin(), members.starts.end(), members.starts.begin());
  members.points.resize(size_t(members.starts.back()));
  std::vector<int64_t> next(members.starts.begin(), members.starts.end() - 1);
  for (size_t e = 0; e < factor.columns.size(); ++e)
    if (is_edge(e)) members.points[size_t(next[size_t(factor.columns[e])]++)] = int32_t(e / size_t(factor.each));
  return members;
}

struct Entry {
  int32_t column;
  float value;
};

/// One row of H without the extra landmark, in the order of the columns. `sums` has a zero for each landmark, and is
/// left so.
std::vector<Entry> row_of(int32_t landmark, const LandmarkFactor& factor, const Members& members,
                          std::span<const double> inverse, std::vector<double>& sums) {
  const int64_t K = factor.each;
  std::vector<int32_t> touched;
  const int64_t end = members.starts[size_t(landmark) + 1];
  for (int64_t at = members.starts[size_t(landmark)]; at < end; ++at) {
    if (at + 8 < end) {  // the rows of B are scattered in memory
      __builtin_prefetch(factor.columns.data() + members.points[size_t(at + 8)] * K);
      __builtin_prefetch(factor.weights.data() + members.points[size_t(at + 8)] * K);
    }
    const int64_t i = members.points[size_t(at)];
    const int32_t* columns = factor.columns.data() + i * K;
    const float* weights = factor.weights.data() + i * K;
    const double own = double(weights[std::find(columns, columns + K, landmark) - columns]);
    for (int64_t e = 0; e < K; ++e) {
      if (weights[e] == 0) continue;
      double& sum = sums[size_t(columns[e])];
      if (sum == 0) touched.push_back(columns[e]);
      sum += own * double(weights[e]) * inverse[size_t(i)];
    }
  }
  std::sort(touched.begin(), touched.end());
  touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
  std::vector<Entry> row;
  for (const int32_t column : touched) {
    row.push_back({column, float(sums[size_t(column)])});
    sums[size_t(column)] = 0;
  }
  return row;
}

/// Adds the extra landmark: its entries with the others are tau B'(Dx + tau)^-1 1.
void add_landmark(const Normalized<float>& L, const LandmarkFactor& factor, std::span<const double> inverse,
                  std::vector<std::vector<Entry>>& rows) {
  const double tau = L.regularization_added();
  Matrix<float> V(L.n(), 1);
  for (int64_t i = 0; i < L.n(); ++i) V(i, 0) = float(inverse[size_t(i)]);
  const Matrix<double> sums = gather_to_landmarks(L.rows(), factor, V);
  const double loop = sum_over_blocks(L.rows(), 1, [&](int64_t, Range range, std::span<double> out) {
    for (int64_t i = range.begin; i < range.end; ++i) out[0] += tau * tau * inverse[size_t(i)];
  })[0];
  std::vector<Entry> last;
  for (int64_t r = 0; r < sums.rows(); ++r) {
    const auto value = float(tau * sums(r, 0));
    if (!(value > 0)) continue;
    rows[size_t(r)].push_back({int32_t(sums.rows()), value});
    last.push_back({int32_t(r), value});
  }
  last.push_back({int32_t(sums.rows()), float(loop)});
  rows.push_back(std::move(last));
}

}  // namespace

SparseMatrix shared_points(const Normalized<float>& L, const LandmarkFactor& factor) {
  const int64_t p = factor.size(), together = 16;
  const double tau = L.regularization_added();
  std::vector<double> inverse(L.degrees().size());
  for (size_t i = 0; i < inverse.size(); ++i) {
    const double degree = L.degrees()[i] + tau;
    inverse[i] = degree > 0 ? 1 / degree : 0;
  }
  const Members members = find_members(factor);
  std::vector<std::vector<Entry>> rows(static_cast<size_t>(p));
  parallel_for(L.rows().threads(), (p + together - 1) / together, [&](int64_t group) {
    std::vector<double> sums(static_cast<size_t>(p));
    for (int64_t r = group * together; r < std::min(p, (group + 1) * together); ++r)
      rows[size_t(r)] = row_of(int32_t(r), factor, members, inverse, sums);
  });
  if (tau > 0) add_landmark(L, factor, inverse, rows);
  SparseMatrix H;
  H.starts.push_back(0);
  for (const std::vector<Entry>& row : rows) {
    for (const Entry& entry : row) {
      H.columns.push_back(entry.column);
      H.values.push_back(entry.value);
    }
    H.starts.push_back(int64_t(H.columns.size()));
  }
  return H;
}

}  // namespace mbsc
