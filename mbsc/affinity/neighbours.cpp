// SPDX-License-Identifier: Apache-2.0
#include "mbsc/affinity/neighbours.h"

#include <algorithm>
#include <limits>

namespace mbsc {

int64_t neighbours_kept(int64_t n) { return n <= int64_t{1} << 20 ? 16 : 0; }

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
  // Equal values by their column; of those that come later none is above the threshold. Rounds have a fixed order.
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
NeighbourGraph LargestEntries<T>::graph() {
  NeighbourGraph graph;
  graph.starts.assign(size_t(rows_ + 1), 0);
  for (int64_t i = 0; i < rows_; ++i) {
    shrink(i);
    graph.starts[size_t(i + 1)] += counts_[size_t(i)];
    for (int64_t e = 0; e < counts_[size_t(i)]; ++e)
      ++graph.starts[size_t(entries_[size_t(i * 2 * each_ + e)].column + 1)];
  }
  for (int64_t i = 0; i < rows_; ++i) graph.starts[size_t(i + 1)] += graph.starts[size_t(i)];
  // Both directions of every edge, then without those that are there twice.
  std::vector<Entry> edges(size_t(graph.starts.back()));
  std::vector<int64_t> next(graph.starts.begin(), graph.starts.end() - 1);
  for (int64_t i = 0; i < rows_; ++i)
    for (int64_t e = 0; e < counts_[size_t(i)]; ++e) {
      const Entry entry = entries_[size_t(i * 2 * each_ + e)];
      edges[size_t(next[size_t(i)]++)] = entry;
      edges[size_t(next[size_t(entry.column)]++)] = {entry.value, int32_t(i)};
    }
  int64_t begin = 0;
  for (int64_t i = 0; i < rows_; ++i) {
    const int64_t end = graph.starts[size_t(i + 1)];
    std::sort(edges.begin() + begin, edges.begin() + end,
              [](const Entry& a, const Entry& b) { return a.column < b.column; });
    for (int64_t e = begin; e < end; ++e) {
      if (e > begin && edges[size_t(e)].column == edges[size_t(e - 1)].column) continue;
      graph.columns.push_back(edges[size_t(e)].column);
      graph.values.push_back(edges[size_t(e)].value);
    }
    begin = end;
    graph.starts[size_t(i + 1)] = int64_t(graph.columns.size());
  }
  return graph;
}

template class LargestEntries<float>;
template class LargestEntries<double>;

}  // namespace mbsc
