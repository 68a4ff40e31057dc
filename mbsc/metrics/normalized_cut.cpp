// SPDX-License-Identifier: Apache-2.0
#include "mbsc/metrics/normalized_cut.h"

#include <algorithm>
#include <cmath>

#include "mbsc/base/float64.h"
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

/// Returns within(c) of all clusters, followed by vol(c) of all clusters. Column c of `product` is A times the
/// indicator of cluster c, or of some points of c.
template <class T>
std::vector<double> sums_of_clusters(const RowSpace& space, MatrixView<const T> product,
                                     std::span<const int32_t> labels, int64_t clusters) {
  return sum_over_blocks(space, 2 * clusters, [&](int64_t, Range rows, std::span<double> out) {
    for (int64_t i = rows.begin; i < rows.end; ++i)
      for (int64_t c = 0; c < clusters; ++c) {
        if (labels[size_t(i)] == c) out[size_t(c)] += double(product(i, c));
        out[size_t(clusters + c)] += double(product(i, c));
      }
  });
}

/// sum_c (1 - within(c) / vol(c)). A cluster with unknown vol(c) counts as the mean of the others.
double cut_of_sums(std::span<const double> sums) {
  const size_t clusters = sums.size() / 2;
  double cut = 0, known = 0;
  for (size_t c = 0; c < clusters; ++c)
    if (const double volume = sums[clusters + c]; volume > 0) {
      cut += std::max(0.0, 1 - sums[c] / volume);
      ++known;
    }
  return known > 0 ? cut * double(clusters) / known : 0;
}

/// Estimates the cut from the sums of all groups of columns, and its standard error by omitting one group at a time.
CutEstimate jackknife(const std::vector<std::vector<double>>& groups) {
  const auto count = double(groups.size());
  std::vector<double> total(groups[0].size());
  for (const auto& group : groups)
    for (size_t c = 0; c < total.size(); ++c) total[c] += group[c];
  CutEstimate result;
  result.value = cut_of_sums(total);
  std::vector<double> without;
  double mean = 0, squares = 0;
  for (const auto& group : groups) {
    std::vector<double> rest(total.size());
    for (size_t c = 0; c < total.size(); ++c) rest[c] = total[c] - group[c];
    without.push_back(cut_of_sums(rest));
    mean += without.back() / count;
  }
  for (const double value : without) squares += (value - mean) * (value - mean);
  result.standard_error = std::sqrt(squares * (count - 1) / count);
  return result;
}

}  // namespace

template <class T>
double normalized_cut(const Affinity<T>& affinity, std::span<const double> degrees, std::span<const int32_t> labels,
                      int64_t clusters, const StopToken& stop) {
  const RowSpace& space = affinity.rows();
  Matrix<T> indicators(space.local_rows(), clusters), product(space.local_rows(), clusters);
  if (!space.comm().any(!degrees.empty())) {
    for (int64_t i = 0; i < space.local_rows(); ++i)
      if (const int32_t c = labels[size_t(i)]; c >= 0) indicators(i, c) = 1;
    affinity.multiply(indicators, product, stop);
    const std::vector<double> sums = sums_of_clusters<T>(space, product, labels, clusters);
    double cut = double(clusters);
    for (size_t c = 0; c < size_t(clusters); ++c)
      if (const double within = sums[c]; within > 0) cut -= within / sums[size_t(clusters) + c];
    return std::max(0.0, cut);
  }
  const std::vector<double> volume = volumes(space, degrees, labels, clusters);
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
  const bool known = space.comm().any(!degrees.empty());  // a rank may have no rows
  const int64_t n = space.n(), groups = std::min<int64_t>(20, n), each = std::clamp<int64_t>(n / 400, 1, 50);
  std::vector<double> volume(static_cast<size_t>(clusters), 1.0);
  if (known) volume = volumes(space, degrees, labels, clusters);
  const double empty = double(std::count(volume.begin(), volume.end(), 0.0));  // such a cluster adds 1 to the cut
  const std::vector<int32_t> all_labels = space.comm().template gather<int32_t>(labels);
  const std::vector<double> all_degrees = known ? space.comm().template gather<double>(degrees) : std::vector<double>();
  const KeyedPermutation permutation(n, Random(seed, Stream::cut), 0);
  Matrix<T> product(space.local_rows(), clusters);
  std::vector<double> estimates;
  std::vector<std::vector<double>> sums;
  for (int64_t g = 0; g < groups; ++g) {
    std::vector<int64_t> columns(static_cast<size_t>(each));
    for (int64_t j = 0; j < each; ++j) columns[size_t(j)] = permutation((g * each + j) % n);
    std::sort(columns.begin(), columns.end());
    Matrix<T> coefficients(each, clusters);
    double whole =
        0;  // sum over these columns of degree / volume of their cluster; includes affinities within the cluster
    for (int64_t j = 0; j < each; ++j) {
      const auto column = size_t(columns[size_t(j)]);
      const int32_t c = all_labels[column];
      if (c < 0 || !(volume[size_t(c)] > 0)) continue;
      coefficients(j, c) = T(1 / volume[size_t(c)]);
      if (known) whole += all_degrees[column] / volume[size_t(c)];
    }
    affinity.multiply_columns(columns, coefficients, product, stop);
    if (!known)
      sums.push_back(sums_of_clusters<T>(space, product, labels, clusters));
    else
      estimates.push_back(empty + double(n) / double(each) * (whole - sum_at_labels<T>(space, product, labels)));
  }
  CutEstimate result = known ? CutEstimate{} : jackknife(sums);
  result.columns = groups * each;
  if (!known) return result;
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
MBSC_FLOAT64(MBSC_INSTANTIATE(double))
#undef MBSC_INSTANTIATE

}  // namespace mbsc
