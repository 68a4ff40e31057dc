// SPDX-License-Identifier: Apache-2.0
#include "mbsc/affinity/affinity.h"

#include "mbsc/linalg/reduce.h"

namespace mbsc {

template <class T>
ColumnSums Affinity<T>::sum_columns(std::span<const int64_t> columns, const StopToken& stop,
                                    const std::function<void(double)>& progress) const {
  constexpr int64_t together = 64;
  const int64_t m = int64_t(columns.size()), n_own = rows_.local_rows();
  ColumnSums sums{Degrees(n_own), Degrees(m)};
  for (int64_t first = 0; first < m; first += together) {
    const auto chunk = columns.subspan(first, std::min(together, m - first));
    const auto block = take_columns(chunk);
    const std::vector<double> totals = sum_over_blocks(
        rows_, 2 * int64_t(chunk.size()),
        [&](int64_t, Range range, std::span<double> out) {
          if (stop.stop_requested()) return;
          Matrix<T> values(range.size(), int64_t(chunk.size()));
          block->evaluate(range, values);
          for (int64_t i = 0; i < values.rows(); ++i)
            for (size_t j = 0; j < chunk.size(); ++j) {
              const double a = double(values(i, int64_t(j)));
              sums.rows.sum[size_t(range.begin + i)] += a;
              sums.rows.squares[size_t(range.begin + i)] += a * a;
              out[2 * j] += a;
              out[2 * j + 1] += a * a;
            }
        },
        double(chunk.size()) * 16);
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
template class Affinity<double>;

}  // namespace mbsc
