// SPDX-License-Identifier: Apache-2.0
#include "mbsc/metrics/normalized_cut.h"

#include <algorithm>
#include <cmath>

#include "mbsc/base/random.h"
#include "mbsc/linalg/reduce.h"

namespace mbsc {
namespace {

/// The sum of the degrees of each cluster.
std::vector<double> volumes(const RowSpace& space, std::span<const double> degrees, std::span<const int32_t> labels,
                            int64_t clusters) {
  return sum_over_blocks(space, clusters, [&](int64_t, Range rows, std::span<double> out) {
    for (int64_t i = rows.begin; i < rows.end; ++i)
      if (labels[size_t(i)] >= 0) out[size_t(labels[size_t(i)])] += degrees[size_t(i)];
  });
}

/// sum over rows i of product(i, label of i).
template <class T>
double sum_at_labels(const RowSpace& space, MatrixView<const T> product, std::span<const int32_t> labels) {
  return sum_over_blocks(space, 1, [&](int64_t, Range rows, std::span<double> out) {
    for (int64_t i = rows.begin; i < rows.end; ++i)
      if (labels[size_t(i)] >= 0) out[0] += double(product(i, labels[size_t(i)]));
  })[0];
}

}  // namespace

template <class T>
double normalized_cut(const Affinity<T>& affinity, std::span<const double> degrees, std::span<const int32_t> labels,
                      int64_t clusters, const StopToken& stop) {
  const RowSpace& space = affinity.rows();
  const std::vector<double> volume = volumes(space, degrees, labels, clusters);
  Matrix<T> indicators(space.local_rows(), clusters), product(space.local_rows(), clusters);
  for (int64_t i = 0; i < space.local_rows(); ++i)
    if (const int32_t c = labels[size_t(i)]; c >= 0 && volume[size_t(c)] > 0)
      indicators(i, c) = T(1 / volume[size_t(c)]);
  affinity.multiply(indicators, product, stop);
  return std::max(0.0, double(clusters) - sum_at_labels<T>(space, product, labels));
}

template <class T>
CutEstimate estimate_normalized_cut(const Affinity<T>& affinity, std::span<const double> degrees,
                                    std::span<const int32_t> labels, int64_t clusters, uint64_t seed,
                                    const StopToken& stop) {
  const RowSpace& space = affinity.rows();
  const int64_t n = space.n(), groups = std::min<int64_t>(20, n), each = std::clamp<int64_t>(n / 400, 1, 50);
  const std::vector<double> volume = volumes(space, degrees, labels, clusters);
  const std::vector<int32_t> all_labels = space.comm().template gather<int32_t>(labels);
  const KeyedPermutation permutation(n, Random(seed, Stream::cut), 0);
  Matrix<T> product(space.local_rows(), clusters);
  std::vector<double> estimates;
  for (int64_t g = 0; g < groups; ++g) {
    std::vector<int64_t> columns(static_cast<size_t>(each));
    for (int64_t j = 0; j < each; ++j) columns[size_t(j)] = permutation((g * each + j) % n);
    std::sort(columns.begin(), columns.end());
    Matrix<T> coefficients(each, clusters);
    for (int64_t j = 0; j < each; ++j)
      if (const int32_t c = all_labels[size_t(columns[size_t(j)])]; c >= 0 && volume[size_t(c)] > 0)
        coefficients(j, c) = T(1 / volume[size_t(c)]);
    affinity.multiply_columns(columns, coefficients, product, stop);
    estimates.push_back(double(clusters) - double(n) / double(each) * sum_at_labels<T>(space, product, labels));
  }
  CutEstimate result;
  result.columns = groups * each;
  for (const double e : estimates) result.value += e / double(groups);
  double squares = 0;
  for (const double e : estimates) squares += (e - result.value) * (e - result.value);
  result.standard_error = groups > 1 ? std::sqrt(squares / double(groups - 1) / double(groups)) : 0;
  return result;
}

#define MBSC_INSTANTIATE(T)                                                                                           \
  template double normalized_cut(const Affinity<T>&, std::span<const double>, std::span<const int32_t>, int64_t,      \
                                 const StopToken&);                                                                   \
  template CutEstimate estimate_normalized_cut(const Affinity<T>&, std::span<const double>, std::span<const int32_t>, \
                                               int64_t, uint64_t, const StopToken&);
MBSC_INSTANTIATE(float)
MBSC_INSTANTIATE(double)
#undef MBSC_INSTANTIATE

}  // namespace mbsc
