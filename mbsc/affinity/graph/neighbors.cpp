// SPDX-License-Identifier: Apache-2.0
#include "mbsc/affinity/graph/neighbors.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "mbsc/base/float64.h"

namespace mbsc {

int64_t neighbors_kept(int64_t n) { return n <= int64_t{1} << 20 ? 16 : 0; }

template <class T>
LargestEntries<T>::LargestEntries(int64_t rows, int64_t each)
    : rows_(rows),
      each_(each),
      least_(size_t(rows + 64), std::numeric_limits<T>::infinity()),
      entries_(size_t(rows * 2 * each)),
      counts_(size_t(rows)) {
  std::fill_n(least_.begin(), rows, T{});
}

/// Reduces a row to its t largest entries.
template <class T>
void LargestEntries<T>::shrink(int64_t row) {
  Entry* first = entries_.data() + row * 2 * each_;
  Entry* last = first + counts_[size_t(row)];
  if (last - first <= each_) return;
  // Among equal values the smaller column is preferred. Entries of the same value that come later are not above the
  // threshold. The result is unique, because a pass offers the entries in a fixed order.
  std::nth_element(first, first + each_ - 1, last, [](const Entry& a, const Entry& b) {
    return a.value != b.value ? a.value > b.value : a.column < b.column;
  });
  counts_[size_t(row)] = int32_t(each_);
}

template <class T>
void LargestEntries<T>::offer(int64_t row, int64_t column, T value) {
  if (!(value > least_[size_t(row)])) return;
  entries_[size_t(row * 2 * each_ + counts_[size_t(row)]++)] = {float(value), int32_t(column)};
  if (counts_[size_t(row)] < 2 * each_) return;
  shrink(row);
  least_[size_t(row)] = T(entries_[size_t(row * 2 * each_ + each_ - 1)].value);
}

template <class T>
void LargestEntries<T>::begin(const LargestEntries& other, int64_t first, int64_t rows) {
  if (int64_t(counts_.size()) < rows || each_ != other.each_) *this = LargestEntries(rows, other.each_);
  rows_ = rows;
  std::fill(std::copy_n(other.least_.begin() + first, rows, least_.begin()), least_.end(),
            std::numeric_limits<T>::infinity());
  std::fill(counts_.begin(), counts_.end(), 0);
}

template <class T>
void LargestEntries<T>::merge(LargestEntries& other, int64_t first) {
  for (int64_t row = 0; row < other.rows_; ++row) {
    if (other.counts_[size_t(row)] == 0) continue;
    other.shrink(row);
    Entry* begin = other.entries_.data() + row * 2 * each_;
    Entry* end = begin + other.counts_[size_t(row)];
    std::sort(begin, end, [](const Entry& a, const Entry& b) { return a.column < b.column; });
    for (const Entry* entry = begin; entry < end; ++entry) offer(first + row, entry->column, T(entry->value));
  }
}

template <class T>
void LargestEntries<T>::raise(const LargestEntries& other, int64_t first, int64_t rows) {
  for (auto row = size_t(first); row < size_t(first + rows); ++row)
    least_[row] = std::max(least_[row], other.least_[row]);
}

template <class T>
int64_t LargestEntries<T>::state_bytes(int64_t rows) const {
  return rows * (int64_t(sizeof(T)) + int64_t(sizeof(int32_t)) + 2 * each_ * int64_t(sizeof(Entry)));
}

template <class T>
void LargestEntries<T>::write_state(int64_t first, int64_t rows, std::byte* to) const {
  const auto put = [&](const auto* values, int64_t count) {
    std::memcpy(to, values, size_t(count) * sizeof(*values));
    to += size_t(count) * sizeof(*values);
  };
  put(entries_.data() + first * 2 * each_, rows * 2 * each_);
  put(least_.data() + first, rows);
  put(counts_.data() + first, rows);
}

template <class T>
void LargestEntries<T>::read_state(int64_t first, int64_t rows, const std::byte* from) {
  const auto take = [&](auto* values, int64_t count) {
    std::memcpy(values, from, size_t(count) * sizeof(*values));
    from += size_t(count) * sizeof(*values);
  };
  take(entries_.data() + first * 2 * each_, rows * 2 * each_);
  take(least_.data() + first, rows);
  take(counts_.data() + first, rows);
}

/// Sends each entry to the owner of its row and to the owner of its column. Returns the edges of own rows, by sender.
template <class T>
std::vector<std::vector<typename LargestEntries<T>::Edge>> LargestEntries<T>::exchange_edges(const RowSpace& space) {
  const int64_t first_row = space.own_rows().begin;
  std::vector<std::vector<Edge>> parts(static_cast<size_t>(space.comm().size()));
  std::vector<Edge>& mine = parts[size_t(space.comm().rank())];
  for (int64_t i = 0; i < rows_; ++i) {
    shrink(i);
    for (int64_t e = 0; e < counts_[size_t(i)]; ++e) {
      const Entry entry = entries_[size_t(i * 2 * each_ + e)];
      const auto row = int32_t(first_row + i);
      mine.push_back({row, entry.column, entry.value});
      parts[size_t(space.rank_of_row(entry.column))].push_back({entry.column, row, entry.value});
    }
  }
  entries_ = {};
  return exchange_parts<Edge>(space.comm(), std::move(parts));
}

template <class T>
typename LargestEntries<T>::EdgeLists LargestEntries<T>::sort_by_row(std::vector<std::vector<Edge>> edges,
                                                                     int64_t first_row) const {
  EdgeLists lists;
  lists.starts.assign(size_t(rows_ + 1), 0);
  for (const auto& part : edges)
    for (const Edge& edge : part) ++lists.starts[size_t(edge.row - first_row + 1)];
  for (int64_t i = 0; i < rows_; ++i) lists.starts[size_t(i + 1)] += lists.starts[size_t(i)];
  lists.entries.resize(size_t(lists.starts.back()));
  std::vector<int64_t> next(lists.starts.begin(), lists.starts.end() - 1);
  for (auto& part : edges) {
    for (const Edge& edge : part)
      lists.entries[size_t(next[size_t(edge.row - first_row)]++)] = {edge.value, edge.column};
    part = {};
  }
  return lists;
}

template <class T>
NeighborGraph LargestEntries<T>::graph(const RowSpace& space) {
  const Range own = space.own_rows();
  EdgeLists lists = sort_by_row(exchange_edges(space), own.begin);
  // An edge occurs twice if it is among the largest entries of both of its points.
  NeighborGraph graph;
  graph.starts.assign(size_t(rows_ + 1), 0);
  for (int64_t i = 0; i < rows_; ++i) {
    const auto begin = lists.entries.begin() + lists.starts[size_t(i)];
    const auto end = lists.entries.begin() + lists.starts[size_t(i + 1)];
    std::sort(begin, end, [](const Entry& a, const Entry& b) { return a.column < b.column; });
    for (auto edge = begin; edge < end; ++edge) {
      if (edge > begin && edge->column == (edge - 1)->column) continue;
      graph.columns.push_back(edge->column);
      graph.values.push_back(edge->value);
    }
    graph.starts[size_t(i + 1)] = int64_t(graph.columns.size());
  }
  make_columns_local(space, graph);
  return graph;
}

template class LargestEntries<float>;
MBSC_FLOAT64(template class LargestEntries<double>;)

}  // namespace mbsc
