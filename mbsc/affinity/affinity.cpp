// SPDX-License-Identifier: Apache-2.0
// The default implementations of Affinity. They use blocks of columns.
#include "mbsc/affinity/affinity.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "mbsc/base/float64.h"
#include "mbsc/linalg/reduce.h"

namespace mbsc {
namespace {

/// The number of columns in a block.
constexpr int64_t columns_together = 64;
/// The assumed number of multiply-adds per entry, for the choice of the number of threads.
constexpr double operations_per_entry = 16;

}  // namespace

template <class T>
void Affinity<T>::multiply_anew(MatrixView<const T> V, MatrixView<T> out, const StopToken& stop) const {
  multiply(V, out, stop);
}

template <class T>
void Affinity<T>::evaluate_square(std::span<const int64_t> points, MatrixView<T> out) const {
  const auto m = int64_t(points.size());
  // place[i] is the position in `points` of the i-th smallest point.
  std::vector<int64_t> place(points.size()), sorted;
  std::iota(place.begin(), place.end(), int64_t{0});
  std::stable_sort(place.begin(), place.end(),
                   [&](int64_t a, int64_t b) { return points[size_t(a)] < points[size_t(b)]; });
  for (const int64_t i : place) sorted.push_back(points[size_t(i)]);
  const auto block = take_columns(sorted);
  const Range own = rows_.own_rows();
  const auto first = std::lower_bound(sorted.begin(), sorted.end(), own.begin);
  const auto last = std::lower_bound(sorted.begin(), sorted.end(), own.end);
  Matrix<T> mine(last - first, m);
  for (int64_t i = 0; i < mine.rows(); ++i) {
    const int64_t row = first[i] - own.begin;
    block->evaluate({row, row + 1}, mine.view().rows_between(i, i + 1));
  }
  const std::vector<T> all = rows_.comm().template gather<T>(std::span<const T>(mine.data(), size_t(mine.size())));
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < m; ++j) out(place[size_t(i)], place[size_t(j)]) = all[size_t(i * m + j)];
}

template <class T>
Degrees Affinity<T>::degrees(const StopToken& stop, const std::function<void(double)>& progress,
                             int64_t neighbors) const {
  Degrees degrees(rows_.local_rows());
  std::optional<LargestEntries<T>> largest;
  if (neighbors > 0) largest.emplace(rows_.local_rows(), neighbors);
  std::vector<int64_t> columns;
  for (int64_t first = 0; first < n(); first += columns_together) {
    columns.resize(size_t(std::min(columns_together, n() - first)));
    std::iota(columns.begin(), columns.end(), first);
    const auto block = take_columns(columns);
    const auto add_rows = [&](int64_t, Range range) {
      if (stop.stop_requested()) return;
      Matrix<T> values(range.size(), int64_t(columns.size()));
      block->evaluate(range, values);
      for (int64_t i = 0; i < values.rows(); ++i)
        for (int64_t j = 0; j < values.cols(); ++j) {
          const auto a = double(values(i, j));
          degrees.sum[size_t(range.begin + i)] += a;
          degrees.squares[size_t(range.begin + i)] += a * a;
          if (largest) largest->offer(range.begin + i, first + j, values(i, j));
        }
    };
    rows_.for_each_block(add_rows, double(columns.size()) * operations_per_entry);
    throw_if_stopped(stop);
    if (progress) progress(double(columns.back() + 1) / double(n()));
  }
  if (largest) degrees.graph = std::make_shared<const NeighborGraph>(largest->graph(rows_));
  return degrees;
}

template <class T>
ColumnSums Affinity<T>::sum_columns(std::span<const int64_t> columns, const StopToken& stop,
                                    const std::function<void(double)>& progress) const {
  const auto m = int64_t(columns.size());
  ColumnSums sums{Degrees(rows_.local_rows()), Degrees(m)};
  for (int64_t first = 0; first < m; first += columns_together) {
    const auto chunk = columns.subspan(size_t(first), size_t(std::min(columns_together, m - first)));
    const auto block = take_columns(chunk);
    const auto add_rows = [&](int64_t, Range range, std::span<double> out) {
      if (stop.stop_requested()) return;
      Matrix<T> values(range.size(), int64_t(chunk.size()));
      block->evaluate(range, values);
      for (int64_t i = 0; i < values.rows(); ++i)
        for (size_t j = 0; j < chunk.size(); ++j) {
          const auto a = double(values(i, int64_t(j)));
          sums.rows.sum[size_t(range.begin + i)] += a;
          sums.rows.squares[size_t(range.begin + i)] += a * a;
          out[2 * j] += a;
          out[2 * j + 1] += a * a;
        }
    };
    const std::vector<double> totals =
        sum_over_blocks(rows_, 2 * int64_t(chunk.size()), add_rows, double(chunk.size()) * operations_per_entry);
    throw_if_stopped(stop);
    for (size_t j = 0; j < chunk.size(); ++j) {
      sums.columns.sum[size_t(first) + j] = totals[2 * j];
      sums.columns.squares[size_t(first) + j] = totals[2 * j + 1];
    }
    if (progress) progress(double(first + int64_t(chunk.size())) / double(m));
  }
  return sums;
}

template class Affinity<float>;
MBSC_FLOAT64(template class Affinity<double>;)

}  // namespace mbsc
