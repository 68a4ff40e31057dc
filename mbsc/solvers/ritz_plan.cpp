// SPDX-License-Identifier: Apache-2.0
#include "mbsc/solvers/ritz_plan.h"

#include <algorithm>
#include <cmath>

#include "mbsc/base/require.h"
#include "mbsc/linalg/reduce.h"
#include "mbsc/solvers/nystrom_basis.h"

namespace mbsc {

RitzPlan plan_ritz(int64_t n, const SolverOptions& options, int64_t batch_size) {
  const int64_t unlimited = 1000;
  constexpr double most = 9e18;
  if (options.iterations && !options.passes)
    return {int64_t(std::min(most, double(*options.iterations) * double(batch_size))), options.tolerance ? 1 : 0};
  if (!options.passes) {
    if (options.tolerance) return {n / 2, unlimited};
    return {n, options.seconds && options.polish ? unlimited : 0};
  }
  // A full product is worth its pass when there is something to multiply; with a tolerance one is needed to certify.
  const double passes = *options.passes, least = options.tolerance ? 0.05 : 0.5;
  const double columns = std::min(most, std::max(1.0, std::round(passes * double(n))));
  const int64_t products =
      options.polish && passes >= 1 + least ? int64_t(std::min(std::floor(passes - least), columns / double(n))) : 0;
  return {int64_t(columns) - products * n, products};
}

int64_t block_columns(int64_t n, const SolverOptions& options) {
  const int64_t usual = options.step_rule == StepRule::ritz ? std::max<int64_t>(4, 2 * options.clusters) : 0;
  const int64_t guards = options.guards.value_or(usual);
  require(guards >= 0 && (guards <= n || !options.guards), "guards must be in [0, {}]; got {}", n, guards);
  return std::min(n, options.clusters + guards);
}

int64_t model_rank(int64_t n, int64_t block) {
  return std::max(block, std::min<int64_t>(400, (int64_t{256} << 20) / (4 * std::max<int64_t>(1, n))));
}

template <class T>
int64_t most_landmarks(int64_t n, int64_t budget, const SolverOptions& options) {
  const int64_t most = options.landmarks > 0 ? options.landmarks : std::clamp<int64_t>(n / 5, 100, 2000);
  return std::clamp<int64_t>(affordable_landmarks<T>(n, budget), 1, std::min(n, most));
}

template <class T>
double wanted_landmarks(const Normalized<T>& L) {
  const std::vector<double> squares = L.column_squares();
  return 36 * sum_over_blocks(L.rows(), 1, [&](int64_t, Range rows, std::span<double> out) {
           for (int64_t i = rows.begin; i < rows.end; ++i) out[0] += squares[size_t(i)];
         })[0];
}

namespace {

/// The landmarks whose columns, twice, and algebra a slow machine (10^10 operations a second) has in a quarter of the
/// seconds: until they are there, nobody looks at the clock.
template <class T>
int64_t in_time(int64_t landmarks, const Normalized<T>& L, const SolverOptions& options) {
  if (!options.seconds || options.landmarks > 0) return landmarks;
  const double operations = 0.25e10 * *options.seconds / (2 * double(L.n())), of_a_value = 2 * (L.cost_of_value() + 10);
  const double enough = std::sqrt(of_a_value * of_a_value / 4 + operations) - of_a_value / 2;  // m (of_a_value + m)
  return std::clamp<int64_t>(int64_t(std::min(1e9, enough)), 1, landmarks);
}

}  // namespace

template <class T>
int64_t worthwhile_batches(const Normalized<T>& L, int64_t landmarks, const SolverOptions& options) {
  const int64_t n = L.n(), most = options.start == Start::random ? 8 : 4, columns = block_columns(n, options);
  if (options.passes && *options.passes < 1) return most;
  if (options.batch_size > 0 || options.iterations || options.start == Start::random) return most;
  if (L.all_degrees().sampled() || double(landmarks) < 5 * wanted_landmarks(L)) return most;
  const double pass = double(n) * (L.cost_of_value() + double(columns) + 10);
  const double step = double(columns) * (25.0 * double(model_rank(n, columns)) + 120.0 * double(columns));
  return std::clamp<int64_t>(int64_t(pass / step), 1, most);
}

template <class T>
bool graph_may_start(const Normalized<T>& L, int64_t landmarks, const SolverOptions& options) {
  const Degrees& degrees = L.all_degrees();
  return options.start == Start::automatic && degrees.graph && !degrees.sampled() &&
         wanted_landmarks(L) > 1.5 * double(landmarks);
}

template <class T>
int64_t worthwhile_landmarks(const Normalized<T>& L, int64_t budget, const SolverOptions& options) {
  const int64_t n = L.n(), most = in_time(most_landmarks<T>(n, budget, options), L, options);
  if (options.landmarks > 0 || (options.passes && *options.passes < 1)) return most;
  const double of_a_column = double(n) * (L.cost_of_value() + double(block_columns(n, options)) + 10);
  const auto count = [&](double share, double times) {
    const double enough = std::max(times * wanted_landmarks(L), std::sqrt(of_a_column * share));
    return std::min(most, std::max<int64_t>(100, int64_t(std::ceil(std::min(1e9, enough)))));
  };
  const int64_t usual = count(0.5, 1);
  if (graph_may_start(L, usual, options))
    return std::min(usual, std::max<int64_t>(400, model_rank(n, block_columns(n, options))));
  return worthwhile_batches(L, usual, options) == 1 ? std::min(usual, count(1.0 / 16, 5)) : usual;
}

template <class T>
bool wants_neighbors(const Normalized<T>& L, const SolverOptions& options) {
  if (options.start == Start::neighbors) return true;
  const int64_t landmarks = worthwhile_landmarks(L, plan_ritz(L.n(), options, 1).sampled, options);
  return worthwhile_batches(L, landmarks, options) > 1;
}

#define MBSC_INSTANTIATE(T)                                                       \
  template bool wants_neighbors(const Normalized<T>&, const SolverOptions&);     \
  template int64_t worthwhile_batches(const Normalized<T>&, int64_t, const SolverOptions&); \
  template int64_t most_landmarks<T>(int64_t, int64_t, const SolverOptions&);     \
  template double wanted_landmarks(const Normalized<T>&);                         \
  template bool graph_may_start(const Normalized<T>&, int64_t, const SolverOptions&); \
  template int64_t worthwhile_landmarks(const Normalized<T>&, int64_t, const SolverOptions&);
MBSC_INSTANTIATE(float)
MBSC_INSTANTIATE(double)
#undef MBSC_INSTANTIATE

}  // namespace mbsc
