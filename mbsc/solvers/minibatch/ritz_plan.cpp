// SPDX-License-Identifier: Apache-2.0
#include "mbsc/solvers/minibatch/ritz_plan.h"

#include <algorithm>
#include <cmath>

#include "mbsc/base/float64.h"
#include "mbsc/base/random.h"
#include "mbsc/base/require.h"
#include "mbsc/linalg/reduce.h"
#include "mbsc/solvers/nystrom/kept_columns.h"

namespace mbsc {

RitzPlan plan_ritz(int64_t n, const ClusterOptions& options) {
  const Limits& limits = options.limits;
  const int64_t unlimited = 1000;
  constexpr double most = 9e18;
  if (limits.iterations && !limits.passes) {
    const double columns = double(*limits.iterations) * double(options.batch_size.value_or(1));
    return {int64_t(std::min(most, columns)), limits.tolerance ? 1 : 0};
  }
  if (!limits.passes) {
    if (limits.tolerance) return {n / 2, unlimited};
    return {n, limits.seconds && options.ritz.polish ? unlimited : 0};
  }
  // A full product is worth its pass if at least `least` passes of samples precede it. With a tolerance, a full product
  // is needed to certify the result, so `least` is small.
  const double passes = *limits.passes, least = limits.tolerance ? 0.05 : 0.5;
  const double columns = std::min(most, std::max(1.0, std::round(passes * double(n))));
  const bool has_products = options.ritz.polish && passes >= 1 + least;
  const int64_t products = has_products ? int64_t(std::min(std::floor(passes - least), columns / double(n))) : 0;
  return {int64_t(columns) - products * n, products};
}

int64_t block_columns(int64_t n, const ClusterOptions& options) {
  const int64_t k = options.clusters;
  return std::min(n, k + options.guards.value_or(std::max<int64_t>(4, 2 * k)));
}

int64_t model_rank(int64_t n, int64_t block) {
  return std::max(block, std::min<int64_t>(400, (int64_t{256} << 20) / (4 * std::max<int64_t>(1, n))));
}

template <class T>
int64_t most_landmarks(int64_t n, int64_t input_bytes, int64_t budget, const ClusterOptions& options) {
  const int64_t most = options.landmarks.value_or(std::clamp<int64_t>(n / 5, 100, 2000));
  return std::clamp<int64_t>(affordable_landmarks<T>(n, input_bytes, budget), 1, std::min(n, most));
}

template <class T>
KernelFacts facts_of(const Normalized<T>& L) {
  const std::vector<double> squares = L.column_squares();
  const double sum = sum_over_blocks(L.rows(), 1, [&](int64_t, Range rows, std::span<double> out) {
    for (int64_t i = rows.begin; i < rows.end; ++i) out[0] += squares[size_t(i)];
  })[0];
  const Degrees& degrees = L.all_degrees();
  return {L.n(), L.cost_of_value(), L.input_bytes(), 36 * sum, degrees.graph && !degrees.sampled(), !degrees.sampled()};
}

namespace {

/// The number of landmarks that a slow machine (10^10 operations per second) completes in a quarter of the seconds, but
/// at most `landmarks`. Their columns (evaluated twice) and their algebra count. The limit is needed because the clock
/// is not checked before the landmarks are done.
int64_t in_time(int64_t landmarks, const KernelFacts& facts, const ClusterOptions& options) {
  if (!options.limits.seconds || options.landmarks) return landmarks;
  const double operations = 0.25e10 * *options.limits.seconds / (2 * double(facts.n));
  const double of_a_value = 2 * (facts.cost_of_value + 10);
  // The root m of m (of_a_value + m) = operations.
  const double enough = std::sqrt(of_a_value * of_a_value / 4 + operations) - of_a_value / 2;
  return std::clamp<int64_t>(int64_t(std::min(1e9, enough)), 1, landmarks);
}

}  // namespace

int64_t worthwhile_batches(const KernelFacts& facts, int64_t landmarks, const ClusterOptions& options) {
  const bool is_random = options.start == Start::random;
  const int64_t most = is_random ? 8 : 4, columns = block_columns(facts.n, options);
  if (options.limits.passes && *options.limits.passes < 1) return most;
  if (options.batch_size || options.limits.iterations || is_random) return most;
  if (!facts.has_exact_degrees || double(landmarks) < 5 * facts.wanted_landmarks) return most;
  const double pass = double(facts.n) * (facts.cost_of_value + double(columns) + 10);
  const double step = double(columns) * (25.0 * double(model_rank(facts.n, columns)) + 120.0 * double(columns));
  return std::clamp<int64_t>(int64_t(pass / step), 1, most);
}

bool graph_may_start(const KernelFacts& facts, int64_t landmarks, const ClusterOptions& options) {
  return !options.start && facts.has_graph && facts.wanted_landmarks > 1.5 * double(landmarks);
}

template <class T>
int64_t worthwhile_landmarks(const KernelFacts& facts, int64_t budget, const ClusterOptions& options) {
  const int64_t n = facts.n, most = in_time(most_landmarks<T>(n, facts.input_bytes, budget, options), facts, options);
  if (options.landmarks || (options.limits.passes && *options.limits.passes < 1)) return most;
  const double of_a_column = double(n) * (facts.cost_of_value + double(block_columns(n, options)) + 10);
  const auto count = [&](double share, double times) {
    const double enough = std::max(times * facts.wanted_landmarks, std::sqrt(of_a_column * share));
    return std::min(most, std::max<int64_t>(100, int64_t(std::ceil(std::min(1e9, enough)))));
  };
  const int64_t usual = count(0.5, 1);
  if (graph_may_start(facts, usual, options))
    return std::min(usual, std::max<int64_t>(400, model_rank(n, block_columns(n, options))));
  return worthwhile_batches(facts, usual, options) == 1 ? std::min(usual, count(1.0 / 16, 5)) : usual;
}

int64_t neighbors_needed(const Affinity<float>& affinity, const ClusterOptions& options) {
  const int64_t n = affinity.n(), neighbors = neighbors_kept(n);
  if (neighbors == 0 || options.start == Start::neighbors) return neighbors;
  if (options.start) return 0;
  const bool is_cheap = double(n) * double(n) * (affinity.cost_of_value() + 10) < 2e10;
  if (!is_cheap) return neighbors;
  const KeyedPermutation permutation(n, Random(options.seed, Stream::neighbors), 0);
  std::vector<int64_t> columns(size_t(std::min<int64_t>(n, 100)));
  for (size_t j = 0; j < columns.size(); ++j) columns[j] = permutation(int64_t(j));
  std::sort(columns.begin(), columns.end());
  const Degrees sample = affinity.sum_columns(columns, options.stop).columns;
  double mean_degree = 0, squares = 0;
  for (const double degree : sample.sum) mean_degree += degree / double(columns.size());
  const double tau = *options.regularization * mean_degree;
  for (size_t j = 0; j < columns.size(); ++j)
    if (sample.sum[j] > 0) squares += sample.squares[j] / std::pow(sample.sum[j] + tau, 2);
  KernelFacts facts{
      n,   affinity.cost_of_value(), affinity.input_bytes(), 36 * squares * double(n) / double(columns.size()), false,
      true};
  facts.wanted_landmarks *= 2;  // if in doubt, collect the entries
  const int64_t landmarks = worthwhile_landmarks<float>(facts, plan_ritz(n, options).sampled, options);
  return worthwhile_batches(facts, landmarks, options) > 1 ? neighbors : 0;
}

#define MBSC_INSTANTIATE(T)                                                             \
  template int64_t most_landmarks<T>(int64_t, int64_t, int64_t, const ClusterOptions&); \
  template KernelFacts facts_of(const Normalized<T>&);                                  \
  template int64_t worthwhile_landmarks<T>(const KernelFacts&, int64_t, const ClusterOptions&);
MBSC_INSTANTIATE(float)
MBSC_FLOAT64(MBSC_INSTANTIATE(double))
#undef MBSC_INSTANTIATE

}  // namespace mbsc
