// SPDX-License-Identifier: Apache-2.0
#include "mbsc/affinity/graph/components.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace mbsc {

int32_t root_of(std::vector<int32_t>& parent, int32_t i) {
  while (parent[size_t(i)] != i) {
    parent[size_t(i)] = parent[size_t(parent[size_t(i)])];
    i = parent[size_t(i)];
  }
  return i;
}

namespace {

/// For each own row, the smallest row of the part of its component that this rank knows. The same for the rows of other
/// ranks, after the own rows.
std::vector<int32_t> join_own_rows(const SparseMatrix& graph, int64_t first_row) {
  const int64_t own = graph.rows(), known = own + graph.others.size();
  std::vector<int32_t> parent(static_cast<size_t>(known));
  std::iota(parent.begin(), parent.end(), 0);
  for (int64_t i = 0; i < own; ++i)
    for (int64_t e = graph.starts[size_t(i)]; e < graph.starts[size_t(i + 1)]; ++e) {
      const int32_t a = root_of(parent, int32_t(i)), b = root_of(parent, graph.columns[size_t(e)]);
      parent[size_t(std::max(a, b))] = std::min(a, b);
    }
  const auto row_at = [&](int64_t at) {
    return int32_t(at < own ? first_row + at : graph.others.rows()[size_t(at - own)]);
  };
  std::vector<int32_t> smallest(parent.size(), std::numeric_limits<int32_t>::max());
  for (int64_t at = 0; at < known; ++at) {
    int32_t& of_root = smallest[size_t(root_of(parent, int32_t(at)))];
    of_root = std::min(of_root, row_at(at));
  }
  std::vector<int32_t> part(parent.size());
  for (int64_t at = 0; at < known; ++at) part[size_t(at)] = smallest[size_t(root_of(parent, int32_t(at)))];
  return part;
}

/// Two parts of the same component.
struct Link {
  int32_t a, b;
  auto operator<=>(const Link&) const = default;
};

/// Joins the parts of all ranks: replaces each part by the smallest row of its component. Collective.
void join_parts(const SparseMatrix& graph, const RowSpace& rows, std::vector<int32_t>& part) {
  const int64_t own = rows.local_rows();
  const Matrix<int32_t> theirs =
      graph.others.fetch<int32_t>(rows.comm(), MatrixView<const int32_t>(part.data(), own, 1));
  std::vector<Link> links;
  for (int64_t at = 0; at < theirs.rows(); ++at)
    if (const int32_t a = part[size_t(own + at)], b = theirs(at, 0); a != b) links.push_back({a, b});
  std::sort(links.begin(), links.end());
  links.erase(std::unique(links.begin(), links.end()), links.end());
  links = rows.comm().gather<Link>(links);
  std::vector<int32_t> parts;
  for (const Link& link : links) parts.insert(parts.end(), {link.a, link.b});
  std::sort(parts.begin(), parts.end());
  parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
  const auto index_of = [&](int32_t row) {
    return int32_t(std::lower_bound(parts.begin(), parts.end(), row) - parts.begin());
  };
  std::vector<int32_t> parent(parts.size());
  std::iota(parent.begin(), parent.end(), 0);
  for (const Link& link : links) {
    const int32_t a = root_of(parent, index_of(link.a)), b = root_of(parent, index_of(link.b));
    parent[size_t(std::max(a, b))] = std::min(a, b);
  }
  for (int32_t& row : part)
    if (const int32_t at = index_of(row); size_t(at) < parts.size() && parts[size_t(at)] == row)
      row = parts[size_t(root_of(parent, at))];
}

/// A component, by its smallest row, and the number of its rows.
struct Size {
  int32_t component;
  int64_t rows;
};

}  // namespace

Components find_components(const SparseMatrix& graph, const RowSpace& rows) {
  std::vector<int32_t> part = join_own_rows(graph, rows.own_rows().begin);
  if (rows.comm().size() > 1) join_parts(graph, rows, part);
  part.resize(size_t(rows.local_rows()));
  std::vector<int32_t> sorted = part;
  std::sort(sorted.begin(), sorted.end());
  std::vector<Size> sizes;
  const auto add = [](int32_t component, int64_t count, std::vector<Size>& to) {
    if (to.empty() || to.back().component != component) to.push_back({component, 0});
    to.back().rows += count;
  };
  for (const int32_t component : sorted) add(component, 1, sizes);
  std::vector<Size> all = rows.comm().gather<Size>(sizes);
  std::sort(all.begin(), all.end(), [](const Size& a, const Size& b) { return a.component < b.component; });
  sizes.clear();
  for (const Size& size : all) add(size.component, size.rows, sizes);
  std::stable_sort(sizes.begin(), sizes.end(), [](const Size& a, const Size& b) { return a.rows > b.rows; });
  Components components;
  std::vector<std::pair<int32_t, int32_t>> numbers;  // a component and its number
  for (const Size& size : sizes) {
    numbers.emplace_back(size.component, int32_t(components.sizes.size()));
    components.sizes.push_back(size.rows);
  }
  std::sort(numbers.begin(), numbers.end());
  for (const int32_t component : part)
    components.of.push_back(std::lower_bound(numbers.begin(), numbers.end(), std::pair(component, int32_t{0}))->second);
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
