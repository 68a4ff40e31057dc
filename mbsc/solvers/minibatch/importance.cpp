// SPDX-License-Identifier: Apache-2.0
#include "mbsc/solvers/minibatch/importance.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mbsc/base/float64.h"
#include "mbsc/base/random.h"
#include "mbsc/linalg/reduce.h"

namespace mbsc {

template <class T>
std::vector<int64_t> important_columns(const Normalized<T>& L, int64_t count, bool by_importance, uint64_t seed) {
  const std::vector<double> squares = L.comm().template gather<double>(L.column_squares());
  const std::vector<double> diagonal = L.comm().template gather<double>(L.hidden_diagonal());
  const size_t n = size_t(L.n());
  const double total = std::accumulate(squares.begin(), squares.end(), 0.0);
  const Random random(seed, Stream::landmarks);
  std::vector<std::pair<double, int64_t>> keys;
  const auto collect = [&](double most) {
    for (size_t j = 0; j < n; ++j) {
      if (!(diagonal[j] > 0 && diagonal[j] <= most)) continue;
      const double share = by_importance && total > 0 ? (squares[j] / total + 1 / double(n)) / 2 : 1 / double(n);
      keys.emplace_back(random.uniform(j) / share, int64_t(j));
    }
  };
  collect(1e4);
  if (keys.empty()) collect(std::numeric_limits<double>::infinity());
  count = std::min<int64_t>(count, int64_t(keys.size()));
  std::nth_element(keys.begin(), keys.begin() + std::max<int64_t>(0, count - 1), keys.end());
  std::vector<int64_t> chosen;
  for (int64_t i = 0; i < count; ++i) chosen.push_back(keys[size_t(i)].second);
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

template <class T>
std::vector<uint8_t> fixed_columns(const Normalized<T>& L, MatrixView<const T> W, int64_t budget, int64_t most) {
  const std::vector<double> squares = L.column_squares();
  std::vector<double> size(squares.size());  // |L_:j| |W_j|
  L.rows().for_each_block([&](int64_t, Range rows) {
    for (int64_t i = rows.begin; i < rows.end; ++i) {
      double norm = 0;
      for (int64_t c = 0; c < W.cols; ++c) norm += double(W(i, c)) * double(W(i, c));
      size[size_t(i)] = std::sqrt(squares[size_t(i)] * norm);
    }
  });
  std::vector<uint8_t> fixed(size.size());
  double taken = 0;
  for (int round = 0; round < 20; ++round) {
    const double rest = sum_over_blocks(L.rows(), 1, [&](int64_t, Range rows, std::span<double> out) {
      for (int64_t i = rows.begin; i < rows.end; ++i)
        if (!fixed[size_t(i)]) out[0] += size[size_t(i)];
    })[0];
    const double threshold = rest / (double(budget) - taken);
    const double more = sum_over_blocks(L.rows(), 1, [&](int64_t, Range rows, std::span<double> out) {
      for (int64_t i = rows.begin; i < rows.end; ++i)
        out[0] += !fixed[size_t(i)] && size[size_t(i)] > threshold ? 1 : 0;
    })[0];
    if (more == 0 || taken + more >= double(budget)) break;
    for (size_t i = 0; i < size.size(); ++i) fixed[i] |= size[i] > threshold ? 1 : 0;
    taken += more;
  }
  most = std::max<int64_t>(0, most);
  if (taken <= double(most)) return fixed;
  const std::vector<double> sizes = L.comm().template gather<double>(size);
  std::vector<double> sorted = sizes;
  std::nth_element(sorted.begin(), sorted.end() - most, sorted.end());
  const double least = most > 0 ? sorted[sorted.size() - size_t(most)] : std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < size.size(); ++i) fixed[i] = size[i] > least ? 1 : 0;
  return fixed;
}

#define MBSC_INSTANTIATE(T)                                                                       \
  template std::vector<int64_t> important_columns(const Normalized<T>&, int64_t, bool, uint64_t); \
  template std::vector<uint8_t> fixed_columns(const Normalized<T>&, MatrixView<const T>, int64_t, int64_t);
MBSC_INSTANTIATE(float)
MBSC_FLOAT64(MBSC_INSTANTIATE(double))
#undef MBSC_INSTANTIATE

}  // namespace mbsc
