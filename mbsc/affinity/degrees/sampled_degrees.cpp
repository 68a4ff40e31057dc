// SPDX-License-Identifier: Apache-2.0
#include "mbsc/affinity/degrees/sampled_degrees.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mbsc/base/float64.h"
#include "mbsc/base/random.h"
#include "mbsc/base/require.h"
#include "mbsc/linalg/reduce.h"

namespace mbsc {
namespace {

/// A row is unreliable if the standard error of its degree exceeds this share of the degree.
constexpr double largest_reliable_error = 0.5;
constexpr double infinite = std::numeric_limits<double>::infinity();

/// Draws `count` of the numbers uniformly without replacement and sorts them.
std::vector<int64_t> draw(std::span<const int64_t> from, int64_t count, const Random& random, uint64_t key) {
  std::vector<int64_t> drawn(static_cast<size_t>(count));
  const KeyedPermutation permutation(int64_t(from.size()), random, key);
  for (int64_t i = 0; i < count; ++i) drawn[size_t(i)] = from[size_t(permutation(i))];
  std::sort(drawn.begin(), drawn.end());
  return drawn;
}

using Progress = std::function<void(double)>;
/// Returns a callback for a part of the work that begins at the share `done` and ends at `done + more`.
Progress part_of(const Progress& progress, double done, double more) {
  if (!progress) return {};
  return [=](double share) { progress(done + more * share); };
}

/// The estimates of own rows. The variance of an unseen row is infinite.
SampledDegrees estimate(const RowSpace& space, std::span<const int64_t> columns, ColumnSums&& sums) {
  SampledDegrees result;
  const double others = double(space.n() - 1), c = double(columns.size());
  const double unsampled = std::max(0.0, 1 - c / others);
  result.degrees = std::move(sums.rows);
  result.degrees.variance.resize(result.degrees.sum.size());
  space.for_each_block([&](int64_t, Range range) {
    for (auto i = size_t(range.begin); i < size_t(range.end); ++i) {
      double &w = result.degrees.sum[i], &v = result.degrees.squares[i];
      // A single column has no sample variance. The square of its value is used instead.
      const double spread = c > 1 ? std::max(0.0, v - w * w / c) / (c - 1) : w * w;
      result.degrees.variance[i] = unsampled == 0 ? 0 : w > 0 ? others * others / c * unsampled * spread : infinite;
      w *= others / c;
      v *= others / c;
    }
  });
  const Range own = space.own_rows();
  for (size_t j = 0; j < columns.size(); ++j) {
    if (!own.contains(columns[j])) continue;
    const auto i = size_t(columns[j] - own.begin);
    result.degrees.sum[i] = sums.columns.sum[j];
    result.degrees.squares[i] = sums.columns.squares[j];
    result.degrees.variance[i] = 0;
  }
  result.degrees.columns = result.columns_evaluated = int64_t(columns.size());
  return result;
}

/// A group of uncertain rows, by global number: the rows of this rank (`own`) and of all ranks (`all`).
struct Group {
  std::vector<int64_t> own, all;
  Group(const RowSpace& space, const std::function<bool(size_t)>& belongs) {
    const Range rows = space.own_rows();
    for (int64_t i = 0; i < rows.size(); ++i)
      if (belongs(size_t(i))) own.push_back(rows.begin + i);
    all = space.comm().gather<int64_t>(own);
  }
  int64_t size() const { return int64_t(all.size()); }
};

/// Evaluates `count` rows of the group exactly, and corrects its other rows with the largest degree among these.
template <class T>
void correct_rows(const Affinity<T>& affinity, const Group& group, int64_t count, const Random& random, uint64_t key,
                  const StopToken& stop, const Progress& progress, SampledDegrees& result) {
  result.not_evaluated += group.size() - count;
  result.columns_evaluated += count;
  if (count == 0) return;
  const std::vector<int64_t> chosen = draw(group.all, count, random, key);
  const Degrees exact = affinity.sum_columns(chosen, stop, progress).columns;
  const auto largest = [](const std::vector<double>& of) { return *std::max_element(of.begin(), of.end()); };
  const double D = largest(exact.sum), Q = largest(exact.squares);
  const int64_t first = affinity.rows().own_rows().begin;
  for (const int64_t row : group.own) {
    const auto i = size_t(row - first);
    double &d = result.degrees.sum[i], &q = result.degrees.squares[i], &variance = result.degrees.variance[i];
    const auto at = std::lower_bound(chosen.begin(), chosen.end(), row);
    if (at != chosen.end() && *at == row) {
      d = exact.sum[size_t(at - chosen.begin())];
      q = exact.squares[size_t(at - chosen.begin())];
      variance = 0;
      continue;
    }
    const double r = d > 0 ? std::min(1.0, variance / (d * d)) : 1;
    d = (1 - r) * d + r * D;
    q = (1 - r) * q + r * Q;
    if (std::isinf(variance)) variance = D * D;
  }
}

/// The maximum number of uncertain rows whose own columns are evaluated: a quarter of the sampled columns, rounded up.
int64_t most_corrected(int64_t columns) { return (columns + 3) / 4; }

}  // namespace

DegreeError degree_error(const RowSpace& space, const Degrees& degrees) {
  if (!degrees.sampled()) return {};
  const auto square_of_row = [&](int64_t i) {
    const double d = degrees.sum[size_t(i)];
    return d > 0 ? degrees.variance[size_t(i)] / (d * d) : 0;
  };
  const std::vector<double> sums = sum_over_blocks(space, 2, [&](int64_t, Range range, std::span<double> out) {
    for (int64_t i = range.begin; i < range.end; ++i) {
      out[0] += square_of_row(i);
      out[1] += degrees.sum[size_t(i)] > 0 ? 1 : 0;
    }
  });
  double largest = 0;
  for (int64_t i = 0; i < space.local_rows(); ++i) largest = std::max(largest, square_of_row(i));
  const std::vector<double> everybody = space.comm().gather<double>(std::span<const double>(&largest, 1));
  return {sums[1] > 0 ? std::sqrt(sums[0] / sums[1]) : 0,
          std::sqrt(*std::max_element(everybody.begin(), everybody.end()))};
}

int64_t most_degree_columns(int64_t n, int64_t columns) { return std::min(n, columns + most_corrected(columns)); }

template <class T>
SampledDegrees sample_degrees(const Affinity<T>& affinity, int64_t columns, uint64_t seed, const StopToken& stop,
                              const Progress& progress) {
  const RowSpace& space = affinity.rows();
  const int64_t n = space.n(), allowed = most_corrected(columns);
  require(columns >= 1 && columns <= n, "degree_columns must be in [1, {}]; got {}", n, columns);
  const Random random(seed, Stream::degrees);
  const KeyedPermutation permutation(n, random, 0);
  std::vector<int64_t> sample(static_cast<size_t>(columns));
  for (int64_t j = 0; j < columns; ++j) sample[size_t(j)] = permutation(j);
  std::sort(sample.begin(), sample.end());
  SampledDegrees result =
      estimate(space, sample,
               affinity.sum_columns(sample, stop, part_of(progress, 0, double(columns) / double(columns + allowed))));

  const auto& d = result.degrees.sum;
  const auto& variance = result.degrees.variance;
  const Group unseen(space, [&](size_t i) { return std::isinf(variance[i]); });
  const Group unreliable(space, [&](size_t i) {
    constexpr double limit = largest_reliable_error * largest_reliable_error;
    return !std::isinf(variance[i]) && variance[i] > limit * d[i] * d[i];
  });
  result.unseen = unseen.size();
  result.unreliable = unreliable.size();
  const int64_t of_unseen = std::min(unseen.size(), std::max((allowed + 1) / 2, allowed - unreliable.size()));
  const int64_t of_unreliable = std::min(unreliable.size(), allowed - of_unseen);
  const auto later = [&](int64_t done, int64_t more) {
    return part_of(progress, double(columns + done) / double(columns + allowed),
                   double(more) / double(columns + allowed));
  };
  correct_rows(affinity, unseen, of_unseen, random, 1, stop, later(0, of_unseen), result);
  correct_rows(affinity, unreliable, of_unreliable, random, 2, stop, later(of_unseen, of_unreliable), result);
  if (progress) progress(1);
  return result;
}

#define MBSC_INSTANTIATE(T) \
  template SampledDegrees sample_degrees(const Affinity<T>&, int64_t, uint64_t, const StopToken&, const Progress&);
MBSC_INSTANTIATE(float)
MBSC_FLOAT64(MBSC_INSTANTIATE(double))
#undef MBSC_INSTANTIATE

}  // namespace mbsc
