// SPDX-License-Identifier: Apache-2.0
#include "mbsc/solvers/transfer/shared_points.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "mbsc/base/parallel.h"
#include "mbsc/linalg/reduce.h"
#include "mbsc/linalg/row_exchange.h"

namespace mbsc {
namespace {

/// Some rows of B, and 1 / (degree + tau) of their points.
struct JoinedPoints {
  int64_t each;  ///< K
  std::span<const int32_t> columns;
  std::span<const float> weights;
  std::span<const double> inverse;
};

/// Sends the rows of B to the ranks that compute the rows of H of their landmarks. `firsts` has the first landmark of each
/// rank, and the end.
class SentPoints {
 public:
  /// Collective.
  SentPoints(const Comm& comm, const JoinedPoints& own, const std::vector<int64_t>& firsts) : each_(own.each) {
    const auto ranks = static_cast<size_t>(comm.size());
    std::vector<std::vector<int32_t>> columns(ranks);
    std::vector<std::vector<float>> weights(ranks);
    std::vector<std::vector<double>> inverse(ranks);
    std::vector<size_t> targets;
    for (size_t i = 0; i < own.inverse.size(); ++i) {
      const auto row = own.columns.subspan(i * size_t(each_), size_t(each_));
      const auto values = own.weights.subspan(i * size_t(each_), size_t(each_));
      targets.clear();
      for (size_t e = 0; e < row.size(); ++e)
        if (values[e] > 0)
          targets.push_back(size_t(std::upper_bound(firsts.begin(), firsts.end(), row[e]) - firsts.begin()) - 1);
      std::sort(targets.begin(), targets.end());
      targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
      for (const size_t rank : targets) {
        columns[rank].insert(columns[rank].end(), row.begin(), row.end());
        weights[rank].insert(weights[rank].end(), values.begin(), values.end());
        inverse[rank].push_back(own.inverse[i]);
      }
    }
    // The parts are ordered by rank, and so by point.
    for (const auto& part : exchange_parts<int32_t>(comm, std::move(columns)))
      columns_.insert(columns_.end(), part.begin(), part.end());
    for (const auto& part : exchange_parts<float>(comm, std::move(weights)))
      weights_.insert(weights_.end(), part.begin(), part.end());
    for (const auto& part : exchange_parts<double>(comm, std::move(inverse)))
      inverse_.insert(inverse_.end(), part.begin(), part.end());
  }
  JoinedPoints points() const { return {each_, columns_, weights_, inverse_}; }

 private:
  int64_t each_;
  std::vector<int32_t> columns_;
  std::vector<float> weights_;
  std::vector<double> inverse_;
};

/// The points that are joined to each of some landmarks, in ascending order.
struct Members {
  int64_t first;  ///< landmark
  std::vector<int64_t> starts;
  std::vector<int32_t> points;
  Range of(int32_t landmark) const { return {starts[size_t(landmark - first)], starts[size_t(landmark - first) + 1]}; }
};

Members find_members(const JoinedPoints& joined, Range landmarks) {
  Members members{landmarks.begin, std::vector<int64_t>(size_t(landmarks.size()) + 1), {}};
  const auto is_edge = [&](size_t e) { return joined.weights[e] > 0 && landmarks.contains(joined.columns[e]); };
  for (size_t e = 0; e < joined.columns.size(); ++e)
    if (is_edge(e)) ++members.starts[size_t(joined.columns[e] - landmarks.begin) + 1];
  std::partial_sum(members.starts.begin(), members.starts.end(), members.starts.begin());
  members.points.resize(size_t(members.starts.back()));
  std::vector<int64_t> next(members.starts.begin(), members.starts.end() - 1);
  for (size_t e = 0; e < joined.columns.size(); ++e)
    if (is_edge(e))
      members.points[size_t(next[size_t(joined.columns[e] - landmarks.begin)]++)] = int32_t(e / size_t(joined.each));
  return members;
}

struct Entry {
  int32_t column;
  float value;
};

/// One row of H without the extra landmark, in the order of the columns. `sums` has a zero for each landmark, and is
/// left so.
std::vector<Entry> row_of(int32_t landmark, const JoinedPoints& joined, const Members& members,
                          std::vector<double>& sums) {
  const int64_t K = joined.each;
  std::vector<int32_t> touched;
  const Range range = members.of(landmark);
  for (int64_t at = range.begin; at < range.end; ++at) {
    if (at + 8 < range.end) {  // the rows of B are scattered in memory
      __builtin_prefetch(joined.columns.data() + members.points[size_t(at + 8)] * K);
      __builtin_prefetch(joined.weights.data() + members.points[size_t(at + 8)] * K);
    }
    const int64_t i = members.points[size_t(at)];
    const int32_t* columns = joined.columns.data() + i * K;
    const float* weights = joined.weights.data() + i * K;
    const double own = double(weights[std::find(columns, columns + K, landmark) - columns]);
    for (int64_t e = 0; e < K; ++e) {
      if (weights[e] == 0) continue;
      double& sum = sums[size_t(columns[e])];
      if (sum == 0) touched.push_back(columns[e]);
      sum += own * double(weights[e]) * joined.inverse[size_t(i)];
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

/// Gathers the rows of H that each rank has computed. Collective.
std::vector<std::vector<Entry>> gather_rows_of_landmarks(const Comm& comm, std::vector<std::vector<Entry>> rows) {
  if (comm.size() == 1) return rows;
  std::vector<int64_t> lengths;
  std::vector<Entry> entries;
  for (const auto& row : rows) {
    lengths.push_back(int64_t(row.size()));
    entries.insert(entries.end(), row.begin(), row.end());
  }
  lengths = comm.gather<int64_t>(lengths);
  entries = comm.gather<Entry>(entries);
  std::vector<std::vector<Entry>> all;
  auto at = entries.begin();
  for (const int64_t length : lengths) {
    all.emplace_back(at, at + length);
    at += length;
  }
  return all;
}

/// Adds the extra landmark: its entries with the others are tau B'(Dx + tau)^-1 1.
void add_landmark(const Normalized<float>& L, const LandmarkFactor& factor, std::span<const double> inverse,
                  std::vector<std::vector<Entry>>& rows) {
  const double tau = L.regularization_added();
  Matrix<float> V(L.rows().local_rows(), 1);
  for (int64_t i = 0; i < V.rows(); ++i) V(i, 0) = float(inverse[size_t(i)]);
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
  const Comm& comm = L.comm();
  std::vector<int64_t> firsts;
  for (int rank = 0; rank <= comm.size(); ++rank) firsts.push_back(p * rank / comm.size());
  const Range own{firsts[size_t(comm.rank())], firsts[size_t(comm.rank()) + 1]};
  JoinedPoints joined{factor.each, factor.columns, factor.weights, inverse};
  std::optional<SentPoints> sent;
  if (comm.size() > 1) joined = sent.emplace(comm, joined, firsts).points();
  const Members members = find_members(joined, own);
  std::vector<std::vector<Entry>> rows(static_cast<size_t>(own.size()));
  parallel_for(L.rows().threads(), (own.size() + together - 1) / together, [&](int64_t group) {
    std::vector<double> sums(static_cast<size_t>(p));
    for (int64_t r = group * together; r < std::min(own.size(), (group + 1) * together); ++r)
      rows[size_t(r)] = row_of(int32_t(own.begin + r), joined, members, sums);
  });
  rows = gather_rows_of_landmarks(comm, std::move(rows));
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
