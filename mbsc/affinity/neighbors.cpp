// SPDX-License-Identifier: Apache-2.0
#include "mbsc/affinity/neighbors.h"

#include <algorithm>
#include <cstring>
#include <limits>

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

template <class T>
void LargestEntries<T>::shrink(int64_t row) {
  Entry* first = entries_.data() + row * 2 * each_;
  Entry* last = first + counts_[size_t(row)];
  if (last - first <= each_) return;
  // Equal values by their column; of those that come later none is above the threshold. Passes have a fixed order.
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
  for (auto row = size_t(first); row < size_t(first + rows); ++row) least_[row] = std::max(least_[row], other.least_[row]);
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

template <class T>
NeighborGraph LargestEntries<T>::graph(const RowSpace& space) {
  /// An entry seen from its row.
  struct Edge {
    int32_t row, column;
    float value;
  };
  const Range own = space.own_rows();
  std::vector<std::vector<Edge>> parts(static_cast<size_t>(space.comm().size()));
  std::vector<Edge>& mine = parts[size_t(space.comm().rank())];
  for (int64_t i = 0; i < rows_; ++i) {
    shrink(i);
    for (int64_t e = 0; e < counts_[size_t(i)]; ++e) {
      const Entry entry = entries_[size_t(i * 2 * each_ + e)];
      const auto row = int32_t(own.begin + i);
      mine.push_back({row, entry.column, entry.value});
      parts[size_t(space.rank_of_row(entry.column))].push_back({entry.column, row, entry.value});
    }
  }
  entries_ = {};
  // Both directions of every edge, then without those that are there twice.
  std::vector<std::vector<Edge>> received = exchange_parts<Edge>(space.comm(), parts);
  parts.clear();
  NeighborGraph graph;
  graph.starts.assign(size_t(rows_ + 1), 0);
  for (const auto& part : received)
    for (const Edge& edge : part) ++graph.starts[size_t(edge.row - own.begin + 1)];
  for (int64_t i = 0; i < rows_; ++i) graph.starts[size_t(i + 1)] += graph.starts[size_t(i)];
  std::vector<Entry> edges(size_t(graph.starts.back()));
  std::vector<int64_t> next(graph.starts.begin(), graph.starts.end() - 1);
  for (auto& part : received) {
    for (const Edge& edge : part) edges[size_t(next[size_t(edge.row - own.begin)]++)] = {edge.value, edge.column};
    part = {};
  }
  int64_t begin = 0;
  std::vector<int64_t> others;
  for (int64_t i = 0; i < rows_; ++i) {
    const int64_t end = graph.starts[size_t(i + 1)];
    std::sort(edges.begin() + begin, edges.begin() + end,
              [](const Entry& a, const Entry& b) { return a.column < b.column; });
    for (int64_t e = begin; e < end; ++e) {
      const int32_t column = edges[size_t(e)].column;
      if (e > begin && column == edges[size_t(e - 1)].column) continue;
      graph.columns.push_back(column);
      graph.values.push_back(edges[size_t(e)].value);
      if (!own.contains(column)) others.push_back(column);
    }
    begin = end;
    graph.starts[size_t(i + 1)] = int64_t(graph.columns.size());
  }
  std::sort(others.begin(), others.end());
  others.erase(std::unique(others.begin(), others.end()), others.end());
  for (int32_t& column : graph.columns)
    column = int32_t(own.contains(column) ? column - own.begin
                                          : own.size() + (std::lower_bound(others.begin(), others.end(), column) -
                                                          others.begin()));
  graph.others = RowExchange(space, std::move(others));
  return graph;
}

template class LargestEntries<float>;
template class LargestEntries<double>;

}  // namespace mbsc
