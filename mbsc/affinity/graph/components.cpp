// SPDX-License-Identifier: Apache-2.0
#include "mbsc/affinity/graph/components.h"

#include <algorithm>
#include <numeric>

namespace mbsc {

int32_t root_of(std::vector<int32_t>& parent, int32_t i) {
  while (parent[size_t(i)] != i) {
    parent[size_t(i)] = parent[size_t(parent[size_t(i)])];
    i = parent[size_t(i)];
  }
  return i;
}

Components find_components(const SparseMatrix& graph) {
  const int64_t n = graph.rows();
  std::vector<int32_t> parent(static_cast<size_t>(n));
  std::iota(parent.begin(), parent.end(), 0);
  for (int64_t i = 0; i < n; ++i)
    for (int64_t e = graph.starts[size_t(i)]; e < graph.starts[size_t(i + 1)]; ++e) {
      const int32_t a = root_of(parent, int32_t(i)), b = root_of(parent, graph.columns[size_t(e)]);
      parent[size_t(std::max(a, b))] = std::min(a, b);  // so the root is the first point of its tree
    }
  std::vector<int64_t> size(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) ++size[size_t(root_of(parent, int32_t(i)))];
  std::vector<int32_t> roots;
  for (int64_t i = 0; i < n; ++i)
    if (size[size_t(i)] > 0) roots.push_back(int32_t(i));
  std::stable_sort(roots.begin(), roots.end(), [&](int32_t a, int32_t b) { return size[size_t(a)] > size[size_t(b)]; });
  Components components;
  std::vector<int32_t> number(static_cast<size_t>(n));
  for (const int32_t root : roots) {
    number[size_t(root)] = int32_t(components.sizes.size());
    components.sizes.push_back(size[size_t(root)]);
  }
  components.of.resize(size_t(n));
  for (int64_t i = 0; i < n; ++i) components.of[size_t(i)] = number[size_t(root_of(parent, int32_t(i)))];
  return components;
}

int64_t isolate_small(const Components& components, int64_t fewest, int64_t most, SparseMatrix& graph) {
  int64_t points = 0, stay = 0;
  while (stay < std::min(most, components.count()) && components.sizes[size_t(stay)] >= fewest) ++stay;
  for (int64_t c = stay; c < components.count(); ++c) points += components.sizes[size_t(c)];
  if (points == 0) return 0;
  int64_t kept = 0, begin = 0;
  for (int64_t i = 0; i < graph.rows(); ++i) {
    const int64_t end = graph.starts[size_t(i + 1)];
    if (components.of[size_t(i)] < stay)
      for (int64_t e = begin; e < end; ++e, ++kept) {
        graph.columns[size_t(kept)] = graph.columns[size_t(e)];
        graph.values[size_t(kept)] = graph.values[size_t(e)];
      }
    begin = end;
    graph.starts[size_t(i + 1)] = kept;
  }
  graph.columns.resize(size_t(kept));
  graph.values.resize(size_t(kept));
  return points;
}

}  // namespace mbsc
