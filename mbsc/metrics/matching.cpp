// SPDX-License-Identifier: Apache-2.0
#include "mbsc/metrics/matching.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>
#include <utility>

namespace mbsc {
namespace {

constexpr int64_t unreached = std::numeric_limits<int64_t>::max();

class Matching {
 public:
  Matching(int32_t rows, int32_t columns, std::span<const WeightedPair> pairs)
      : pairs_(pairs),
        first_(rows + 1),
        row_dual_(rows),
        column_dual_(columns),
        column_of_(rows, -1),
        row_of_(columns, -1),
        distance_(columns, unreached),
        reached_from_(columns, -1) {
    for (const WeightedPair& pair : pairs) ++first_[pair.row + 1];
    for (int32_t r = 0; r < rows; ++r) first_[r + 1] += first_[r];
  }

  std::vector<int32_t> solve() {
    for (int32_t row = 0; row < std::ssize(column_of_); ++row) enter(row);
    return std::move(column_of_);
  }

 private:
  using Reached = std::pair<int64_t, int32_t>;  // distance, column

  std::span<const WeightedPair> pairs_of(int32_t row) const {
    return pairs_.subspan(first_[row], first_[row + 1] - first_[row]);
  }

  /// Adds a row to the matching.
  void enter(int32_t row) {
    for (const WeightedPair& pair : pairs_of(row))
      row_dual_[row] = std::max(row_dual_[row], pair.weight - column_dual_[pair.column]);
    search(row);
    update_duals(row);
    flip(row);
    for (const int32_t column : touched_) distance_[column] = unreached;
  }

  /// Dijkstra's algorithm from `row` to the nearest free column, or to a row that should lose its column.
  void search(int32_t row) {
    std::priority_queue<Reached, std::vector<Reached>, std::greater<>> frontier;
    touched_.clear();
    settled_.clear();
    shortest_ = unreached;
    scan(row, 0, frontier);
    while (!frontier.empty()) {
      const auto [distance, column] = frontier.top();
      frontier.pop();
      if (distance >= shortest_) return;
      if (distance > distance_[column]) continue;
      if (row_of_[column] < 0) {
        shortest_ = distance;
        free_column_ = column;
        return;
      }
      settled_.push_back(column);
      scan(row_of_[column], distance, frontier);
    }
  }

  template <class Frontier>
  void scan(int32_t row, int64_t distance, Frontier& frontier) {
    if (distance + row_dual_[row] < shortest_) {
      shortest_ = distance + row_dual_[row];
      free_column_ = -1;
      left_single_ = row;
    }
    for (const auto& [r, column, weight] : pairs_of(row)) {
      const int64_t further = distance + row_dual_[row] + column_dual_[column] - weight;
      if (further >= distance_[column] || further >= shortest_) continue;
      if (distance_[column] == unreached) touched_.push_back(column);
      distance_[column] = further;
      reached_from_[column] = row;
      frontier.emplace(further, column);
    }
  }

  void update_duals(int32_t row) {
    row_dual_[row] -= shortest_;
    for (const int32_t column : settled_) {
      column_dual_[column] += shortest_ - distance_[column];
      row_dual_[row_of_[column]] -= shortest_ - distance_[column];
    }
  }

  /// Exchanges matched and unmatched pairs along the path that search() found.
  void flip(int32_t start) {
    int32_t column = free_column_;
    if (column < 0) {
      column = std::exchange(column_of_[left_single_], -1);
      if (left_single_ == start) return;
    }
    while (true) {
      const int32_t row = reached_from_[column];
      row_of_[column] = row;
      std::swap(column_of_[row], column);
      if (row == start) return;
    }
  }

  std::span<const WeightedPair> pairs_;
  std::vector<int64_t> first_;  // index of the first pair of each row
  std::vector<int64_t> row_dual_;
  std::vector<int64_t> column_dual_;
  std::vector<int32_t> column_of_;
  std::vector<int32_t> row_of_;

  std::vector<int64_t> distance_;
  std::vector<int32_t> reached_from_;
  std::vector<int32_t> touched_;
  std::vector<int32_t> settled_;
  int64_t shortest_ = 0;      // length of the path that search() found
  int32_t free_column_ = -1;  // the end of the path; -1: the path ends at the row left_single_
  int32_t left_single_ = -1;
};

}  // namespace

std::vector<int32_t> heaviest_matching(int32_t rows, int32_t columns, std::span<const WeightedPair> pairs) {
  return Matching(rows, columns, pairs).solve();
}

}  // namespace mbsc
