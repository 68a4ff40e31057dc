// SPDX-License-Identifier: Apache-2.0
#include "mbsc/affinity/kernel/kernel_form.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "mbsc/affinity/kernel/gathered_points.h"
#include "mbsc/base/require.h"
#include "mbsc/linalg/reduce.h"

namespace mbsc {
namespace {

/// At most 1,001 evenly spaced row numbers below n.
std::vector<int64_t> spaced_rows(int64_t n) {
  const int64_t count = std::min<int64_t>(n, 1001);
  std::vector<int64_t> rows;
  for (int64_t i = 0; i < count; ++i) rows.push_back(n * i / count);
  return rows;
}

/// The median of each feature over the given rows.
std::vector<double> feature_medians(const Points& points, std::span<const int64_t> rows) {
  const auto count = int64_t(rows.size());
  std::vector<double> medians(points.features), values(count);
  for (int64_t f = 0; f < points.features; ++f) {
    for (int64_t i = 0; i < count; ++i) values[i] = points(rows[size_t(i)], f);
    std::nth_element(values.begin(), values.begin() + count / 2, values.end());
    medians[f] = values[count / 2];
  }
  return medians;
}

/// The rule for coordinates relative to `center`, multiplied by `factor`.
PackingRule make_rule(const Points& points, const std::vector<double>& center, double factor) {
  const int64_t d = points.features;
  PackingRule rule{std::vector<double>(d), std::vector<double>(d)};
  for (int64_t f = 0; f < d; ++f) {
    const double scale = points.scale.empty() ? 1 : points.scale[f];
    rule.offset[f] = (points.shift.empty() ? 0 : points.shift[f]) + (scale != 0 ? center[f] / scale : 0);
    rule.factor[f] = factor * scale;
  }
  return rule;
}

/// Whether the stored coordinates convert to T without rounding. Their differences then need no centering.
template <class T>
bool exact_as_stored(const Points& points) {
  return points.shift.empty() && points.scale.empty() && (sizeof(T) == 8 || points.type == ScalarType::float32);
}

/// The largest squared length of a packed row.
double largest_norm(const Points& points, const PackingRule& rule, int threads) {
  const RowSpace rows(points.rows, threads);
  std::vector<double> largest(size_t(rows.blocks().count()));
  rows.for_each_block([&](int64_t block, Range range) {
    double& top = largest[size_t(block)];
    for (int64_t i = range.begin; i < range.end; ++i) {
      double sum = 0;
      for (int64_t f = 0; f < points.features; ++f) {
        const double v = (points.raw(i, f) - rule.offset[f]) * rule.factor[f];
        sum += v * v;
      }
      top = std::max(top, sum);
    }
  });
  return largest.empty() ? 0 : *std::max_element(largest.begin(), largest.end());
}

/// Makes the rules of all sets. Returns the largest squared length of a packed row over all sets and ranks.
double make_rules(std::span<const Points> sets, const std::vector<double>& center, double factor, int threads,
                  const Comm& comm, std::vector<PackingRule>& rules) {
  rules.clear();
  double largest = 0;
  for (const Points& points : sets) {
    rules.push_back(make_rule(points, center, factor));
    largest = std::max(largest, largest_norm(points, rules.back(), threads));
  }
  return largest_of_all(comm, largest);
}

template <class T>
KernelForm<T> choose(const Kernel& kernel, std::span<const Points> sets, const std::vector<double>& center, int threads,
                     const Comm& comm) {
  KernelForm<T> chosen;
  const std::vector<double> zero(size_t(sets.front().features));
  if (kernel.kind == KernelKind::cosine) {
    for (const Points& points : sets) {
      chosen.rules.push_back(make_rule(points, zero, 1));
      chosen.rules.back().unit_length = true;
    }
    return chosen;
  }
  require(std::isfinite(kernel.gamma) && kernel.gamma > 0, "gamma must be positive and finite; got {}", kernel.gamma);
  TileForm<T>& tile = chosen.tile;
  tile.form = kernel.kind == KernelKind::rbf ? simd::Form::gaussian : simd::Form::exponential;
  const double gain = kernel.gamma * std::numbers::log2e;
  const double norm = make_rules(sets, center, std::sqrt(gain), threads, comm, chosen.rules);
  // The expanded form has an error of about |x|^2 eps. This is also the relative error of an rbf value: it is 1e-5 in
  // float if |x|^2 = 170. The error of an exponential value is the root of it, which is too large for any data.
  tile.direct = kernel.kind == KernelKind::exponential || norm > 170;
  for (PackingRule& rule : chosen.rules) rule.expanded = !tile.direct;
  if (!tile.direct) return chosen;
  tile.gain = T(gain);
  const bool as_stored = std::all_of(sets.begin(), sets.end(), exact_as_stored<T>);
  constexpr double most = std::numeric_limits<float>::max();
  require(gain < most, "gamma = {} is too large: every affinity underflows; choose a smaller gamma", kernel.gamma);
  require(make_rules(sets, as_stored ? zero : center, 1, threads, comm, chosen.rules) < most / 4,
          "the data are too large for float32: squared coordinates overflow; scale them (scale = standard)");
  return chosen;
}

}  // namespace

template <class T>
KernelForm<T> choose_form(const Kernel& kernel, std::span<const Points> sets, int threads) {
  const std::vector<double> center = feature_medians(sets.front(), spaced_rows(sets.front().rows));
  return choose<T>(kernel, sets, center, threads, serial_comm());
}

template <class T>
KernelForm<T> choose_form(const Kernel& kernel, const Points& own, const RowSpace& rows) {
  const std::vector<int64_t> spaced = spaced_rows(rows.n());
  std::vector<double> center;
  if (rows.comm().size() == 1) {
    center = feature_medians(own, spaced);
  } else {
    std::vector<int64_t> all(spaced.size());
    std::iota(all.begin(), all.end(), int64_t{0});
    center = feature_medians(GatheredPoints(rows, own, spaced).points(), all);
  }
  return choose<T>(kernel, {&own, 1}, center, rows.threads(), rows.comm());
}

#define MBSC_INSTANTIATE(T)                                                        \
  template KernelForm<T> choose_form(const Kernel&, std::span<const Points>, int); \
  template KernelForm<T> choose_form(const Kernel&, const Points&, const RowSpace&);
MBSC_INSTANTIATE(float)
MBSC_INSTANTIATE(double)  // kernel_product() of the Python package needs it in every build
#undef MBSC_INSTANTIATE

}  // namespace mbsc
