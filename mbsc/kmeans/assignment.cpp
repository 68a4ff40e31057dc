// SPDX-License-Identifier: Apache-2.0
#include "mbsc/kmeans/assignment.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "mbsc/linalg/reduce.h"

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

/// How the centres moved since the last update, and how far apart they are now. Per cluster.
template <class T>
struct Assignment<T>::Movement {
  std::vector<T> own;       // drift of the centre
  std::vector<T> others;    // largest drift of any other centre
  std::vector<T> half_gap;  // half the distance to the nearest other centre

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
Assignment<T>::Assignment(const RowSpace& space, MatrixView<const T> rows, std::span<const uint8_t> excluded)
    : space_(space),
      rows_(rows),
      excluded_(excluded),
      slack_(static_cast<T>(rows.cols + 8) * std::numeric_limits<T>::epsilon()),
      labels_(rows.rows, -1),
      upper_(rows.rows, infinity<T>),
      lower_(rows.rows, T{0}) {}

template <class T>
int64_t Assignment<T>::update(const Matrix<double>& centers) {
  const int64_t clusters = centers.rows();
  const CenterTile<T> tile(centers);
  Matrix<T> before = std::exchange(centers_, rounded<T>(centers));
  const Movement movement(before, centers_, slack_);

  const std::vector<double> sums =
      sum_over_blocks(space_, clusters + 1, [&](int64_t, Range block, std::span<double> out) {
        std::vector<T> distances(tile.padded());
        for (int64_t i = block.begin; i < block.end; ++i) {
          if (!excluded_.empty() && excluded_[i]) continue;
          const int32_t label = labels_[i];
          if (label < 0 || !keeps_label(i, movement)) search(i, tile, distances);
          out[labels_[i]] += 1;
          out[clusters] += labels_[i] != label;
        }
      });
  counts_.assign(sums.begin(), sums.end() - 1);
  return static_cast<int64_t>(sums.back());
}

template <class T>
bool Assignment<T>::keeps_label(int64_t row, const Movement& movement) {
  constexpr T up = 1 + 2 * std::numeric_limits<T>::epsilon();
  constexpr T down = 1 - 2 * std::numeric_limits<T>::epsilon();
  const int32_t own = labels_[row];
  upper_[row] = (upper_[row] + movement.own[own]) * up;
  lower_[row] = (lower_[row] - movement.others[own]) * down;
  const T bound = std::max(lower_[row], movement.half_gap[own]);
  if (upper_[row] * (1 + slack_) < bound) return true;
  upper_[row] = std::sqrt(loose_squared_distance(rows_.row(row), centers_.row(own), rows_.cols)) * (1 + slack_);
  return upper_[row] * (1 + slack_) < bound;
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
  upper_[local] = infinity<T>;
  lower_[local] = 0;
}

template class Assignment<float>;
template class Assignment<double>;

}  // namespace mbsc
