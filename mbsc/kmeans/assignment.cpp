// SPDX-License-Identifier: Apache-2.0
#include "mbsc/kmeans/assignment.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "mbsc/base/float64.h"
#include "mbsc/linalg/reduce.h"
#include "mbsc/simd/nearest.h"

namespace mbsc {
namespace {

template <class T>
constexpr T infinity = std::numeric_limits<T>::infinity();

template <class T>
double distance(const T* a, const T* b, int64_t columns) {
  double sum = 0;
  for (int64_t f = 0; f < columns; ++f) {
    const double difference = static_cast<double>(a[f]) - static_cast<double>(b[f]);
    sum += difference * difference;
  }
  return std::sqrt(sum);
}

template <class T>
Matrix<T> rounded(const Matrix<double>& centers) {
  Matrix<T> result(centers.rows(), centers.cols());
  std::transform(centers.data(), centers.data() + centers.size(), result.data(),
                 [](double x) { return static_cast<T>(x); });
  return result;
}

}  // namespace

/// For each cluster: the drift of the centers since the last update, and the distance to the nearest other center now.
template <class T>
struct Assignment<T>::Movement {
  std::vector<T> own;       // drift of the center
  std::vector<T> others;    // largest drift of any other center
  std::vector<T> half_gap;  // half the distance to the nearest other center

  Movement(const Matrix<T>& before, const Matrix<T>& after, T slack)
      : own(after.rows()), others(after.rows()), half_gap(after.rows(), infinity<T>) {
    const int64_t clusters = after.rows();
    T largest = 0, second = 0;
    for (int64_t c = 0; c < clusters; ++c) {
      const double drift = before.empty() ? 0 : distance(before.row(c), after.row(c), after.cols());
      own[c] = static_cast<T>(drift) * (1 + slack);
      second = std::max(second, std::min(largest, own[c]));
      largest = std::max(largest, own[c]);
    }
    for (int64_t c = 0; c < clusters; ++c) {
      others[c] = own[c] == largest ? second : largest;
      for (int64_t b = 0; b < c; ++b) {
        const T half = static_cast<T>(distance(after.row(b), after.row(c), after.cols()) / 2) * (1 - slack);
        half_gap[b] = std::min(half_gap[b], half);
        half_gap[c] = std::min(half_gap[c], half);
      }
    }
  }
};

template <class T>
Assignment<T>::Assignment(const RowSpace& space, MatrixView<const T> rows, std::span<const uint8_t> excluded,
                          bool may_search)
    : space_(space),
      rows_(rows),
      excluded_(excluded),
      may_search_(may_search),
      slack_(static_cast<T>(rows.cols + 8) * std::numeric_limits<T>::epsilon()),
      labels_(rows.rows, -1) {}

template <class T>
inline bool Assignment<T>::keeps_label(int64_t row, int32_t own, const Movement& movement) {
  constexpr T up = 1 + 2 * std::numeric_limits<T>::epsilon();
  constexpr T down = 1 - 2 * std::numeric_limits<T>::epsilon();
  const T upper = (upper_[row] + movement.own[own]) * up, lower = (lower_[row] - movement.others[own]) * down;
  const T bound = std::max(lower, movement.half_gap[own]);
  lower_[row] = lower;
  upper_[row] = upper;
  if (upper * (1 + slack_) < bound) return true;
  const T distance = std::sqrt(loose_squared_distance(rows_.row(row), centers_.row(own), rows_.cols)) * (1 + slack_);
  upper_[row] = distance;
  return distance * (1 + slack_) < bound;
}

template <class T>
bool Assignment<T>::searches_all(int64_t clusters) const {
  // Measurements show that update_by_search() is at least as fast as update_by_bounds() if columns x clusters <= 400. The
  // size limit keeps the transposed copy of the rows small.
  return may_search_ && rows_.cols * clusters <= 400 && space_.n() * rows_.cols <= int64_t{1} << 20;
}

template <class T>
void Assignment<T>::transpose_rows() {
  constexpr int64_t each = simd::rows_of_group;
  groups_.resize(size_t((rows_.rows + each - 1) / each * each * rows_.cols));
  for (int64_t i = 0; i < rows_.rows; ++i) {
    T* to = groups_.data() + i / each * each * rows_.cols + i % each;
    for (int64_t f = 0; f < rows_.cols; ++f) to[f * each] = rows_.row(i)[f];
  }
}

template <class T>
int64_t Assignment<T>::update(const Matrix<double>& centers) {
  counts_.resize(size_t(centers.rows()));
  return searches_all(centers.rows()) ? update_by_search(centers) : update_by_bounds(centers);
}

template <class T>
int64_t Assignment<T>::count(const std::vector<double>& changes) {
  for (size_t c = 0; c < counts_.size(); ++c) counts_[c] += static_cast<int64_t>(changes[c]);
  return static_cast<int64_t>(changes.back());
}

template <class T>
int64_t Assignment<T>::update_by_search(const Matrix<double>& centers) {
  constexpr int64_t each = simd::rows_of_group;
  const int64_t clusters = centers.rows();
  if (groups_.empty()) transpose_rows();
  const Matrix<T> target = rounded<T>(centers);
  return count(sum_over_blocks(space_, clusters + 1, [&](int64_t, Range block, std::span<double> out) {
    // A block starts at the start of a group.
    const int64_t groups = (block.size() + each - 1) / each;
    std::vector<int32_t> found(size_t(groups * each));
    simd::find_nearest<T>(groups_.data() + block.begin * rows_.cols, groups, rows_.cols, target.data(), clusters,
                          found.data());
    for (int64_t i = block.begin; i < block.end; ++i) {
      const int32_t before = labels_[i], now = found[size_t(i - block.begin)];
      if (before == now || (!excluded_.empty() && excluded_[i])) continue;
      labels_[i] = now;
      if (before >= 0) out[before] -= 1;
      out[now] += 1;
      out[clusters] += 1;
    }
  }));
}

template <class T>
int64_t Assignment<T>::update_by_bounds(const Matrix<double>& centers) {
  const int64_t clusters = centers.rows();
  const CenterTile<T> tile(centers);
  if (upper_.empty()) {
    upper_.assign(size_t(rows_.rows), infinity<T>);
    lower_.assign(size_t(rows_.rows), T{0});
  }
  Matrix<T> before = std::exchange(centers_, rounded<T>(centers));
  const Movement movement(before, centers_, slack_);
  return count(sum_over_blocks(space_, clusters + 1, [&](int64_t, Range block, std::span<double> out) {
    std::vector<T> distances(tile.padded());
    for (int64_t i = block.begin; i < block.end; ++i) {
      if (!excluded_.empty() && excluded_[i]) continue;
      const int32_t label = labels_[i];
      if (label >= 0 && keeps_label(i, label, movement)) continue;
      search(i, tile, distances);
      if (labels_[i] == label) continue;
      if (label >= 0) out[label] -= 1;
      out[labels_[i]] += 1;
      out[clusters] += 1;
    }
  }));
}

template <class T>
void Assignment<T>::search(int64_t row, const CenterTile<T>& tile, std::span<T> distances) {
  tile.squared_distances(rows_.row(row), distances.data());
  T nearest = distances[0], second = infinity<T>;
  int32_t label = 0;
  for (int32_t c = 1; c < tile.count(); ++c) {
    const T d = distances[c];
    if (d < nearest) label = c;
    second = std::min(second, std::max(nearest, d));
    nearest = std::min(nearest, d);
  }
  labels_[row] = label;
  upper_[row] = std::sqrt(nearest) * (1 + slack_);
  lower_[row] = std::sqrt(second) * (1 - slack_);
}

template <class T>
void Assignment<T>::move(int64_t row, int32_t from, int32_t to) {
  --counts_[from];
  ++counts_[to];
  if (!space_.own_rows().contains(row)) return;
  const int64_t local = row - space_.own_rows().begin;
  labels_[local] = to;
  if (upper_.empty()) return;
  upper_[local] = infinity<T>;
  lower_[local] = 0;
}

template class Assignment<float>;
MBSC_FLOAT64(template class Assignment<double>;)

}  // namespace mbsc
