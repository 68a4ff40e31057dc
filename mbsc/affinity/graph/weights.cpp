// SPDX-License-Identifier: Apache-2.0
#include "mbsc/affinity/graph/weights.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mbsc/linalg/reduce.h"

namespace mbsc {
namespace {

/// A directed edge: the point at its end, and its weight.
struct Edge {
  int32_t point;
  float weight;
};

/// For each point, the set of its neighbors and the point itself, in ascending order.
std::vector<int32_t> neighborhoods(const NeighborLists& lists, const RowSpace& rows) {
  const int64_t size = lists.each + 1;
  std::vector<int32_t> sets(size_t(lists.size() * size));
  rows.for_each_block([&](int64_t, Range range) {
    for (int64_t i = range.begin; i < range.end; ++i) {
      int32_t* set = sets.data() + i * size;
      *set = int32_t(i);
      for (const NearPoint& near : lists.of(i)) *++set = near.point;
      std::sort(sets.data() + i * size, sets.data() + (i + 1) * size);
    }
  });
  return sets;
}

/// |A and B| / |A or B| of two ascending sets of the same size.
float jaccard(const int32_t* a, const int32_t* b, int64_t size) {
  int64_t common = 0;
  for (int64_t i = 0, j = 0; i < size && j < size;) {
    common += a[i] == b[j];
    const bool next_i = a[i] <= b[j], next_j = b[j] <= a[i];
    i += next_i;
    j += next_j;
  }
  return float(common) / float(2 * size - common);
}

/// The directed edges of each point, in ascending order of their end points.
std::vector<Edge> directed_edges(const NeighborLists& lists, NeighborWeights weights, double width,
                                 const RowSpace& rows) {
  const int64_t m = lists.each;
  const bool has_sets = is_shared(weights), is_local = weights == NeighborWeights::local,
             is_fuzzy = weights == NeighborWeights::fuzzy;
  const std::vector<int32_t> sets = has_sets ? neighborhoods(lists, rows) : std::vector<int32_t>();
  const auto local = [&](int64_t i) { return is_local ? local_square(lists.of(i)) : 0; };
  std::vector<Edge> edges(size_t(lists.size() * m));
  rows.for_each_block(
      [&](int64_t, Range range) {
        for (int64_t i = range.begin; i < range.end; ++i) {
          constexpr int64_t ahead = 3;  // prefetch, because neighborhoods are scattered in memory
          if (has_sets && i + ahead < range.end)
            for (const NearPoint& near : lists.of(i + ahead))
              for (int64_t at = 0; at <= m; at += 16) __builtin_prefetch(sets.data() + near.point * (m + 1) + at);
          Edge* to = edges.data() + i * m;
          const auto list = lists.of(i);
          const FuzzyScale scale = is_fuzzy ? fuzzy_scale(list) : FuzzyScale();
          for (int64_t e = 0; e < m; ++e) {
            const NearPoint near = list[size_t(e)];
            double weight = is_fuzzy ? fuzzy_weight(near.distance, scale)
                                     : distance_weight(weights, near.distance, width, local(i), local(near.point));
            if (has_sets) weight *= jaccard(sets.data() + i * (m + 1), sets.data() + near.point * (m + 1), m + 1);
            to[e] = {near.point, float(weight) < least_weight ? (e == 0 ? least_weight : 0.0F) : float(weight)};
          }
          std::sort(to, to + m, [](const Edge& a, const Edge& b) { return a.point < b.point; });
        }
      },
      double(m) * double(has_sets   ? 2 * m
                         : is_fuzzy ? 1000
                                    : 30));
  return edges;
}

/// The edges that end at each point, in ascending order of the points where they begin.
struct Reversed {
  std::vector<int64_t> starts;
  std::vector<Edge> edges;
};

Reversed reverse(const std::vector<Edge>& edges, int64_t n, int64_t m) {
  Reversed reversed;
  reversed.starts.assign(size_t(n + 1), 0);
  for (const Edge& edge : edges) ++reversed.starts[size_t(edge.point) + 1];
  std::partial_sum(reversed.starts.begin(), reversed.starts.end(), reversed.starts.begin());
  std::vector<int64_t> next(reversed.starts.begin(), reversed.starts.end() - 1);
  reversed.edges.resize(edges.size());
  for (int64_t i = 0; i < n; ++i)
    for (int64_t e = i * m; e < (i + 1) * m; ++e)
      reversed.edges[size_t(next[size_t(edges[size_t(e)].point)]++)] = {int32_t(i), edges[size_t(e)].weight};
  return reversed;
}

/// Calls use(point, weight) for the symmetric edges of one point, in ascending order. `forward` are the directed edges
/// that begin at this point, `backward` those that end at it.
template <class Use>
void merge_edges(std::span<const Edge> forward, std::span<const Edge> backward, bool mutual, const Use& use) {
  size_t f = 0, b = 0;
  while (f < forward.size() || b < backward.size()) {
    const int32_t none = std::numeric_limits<int32_t>::max();
    const int32_t here = f < forward.size() ? forward[f].point : none;
    const int32_t there = b < backward.size() ? backward[b].point : none;
    const int32_t point = std::min(here, there);
    float weight = 0;
    if (here == point) weight += forward[f++].weight;
    if (there == point) weight += backward[b++].weight;
    if ((!mutual || here == there) && weight > 0) use(point, weight / 2);
  }
}

}  // namespace

double distance_weight(NeighborWeights weights, double square, double width, double local_i, double local_j) {
  const bool is_gaussian = weights == NeighborWeights::gaussian || weights == NeighborWeights::gaussian_shared;
  if (is_gaussian && width > 0) return std::exp(-square / (2 * width * width));
  if (weights != NeighborWeights::local || !(square > 0)) return 1;
  const double root = std::sqrt(local_i * local_j);
  return root > 0 ? std::exp(-square / root) : 0;
}

double local_square(std::span<const NearPoint> list) { return list[std::min<size_t>(7, list.size()) - 1].distance; }

double fuzzy_weight(double square, const FuzzyScale& scale) {
  const double beyond = std::sqrt(square) - scale.rho;
  return beyond > 0 ? std::exp(-beyond / scale.sigma) : 1;
}

FuzzyScale fuzzy_scale(std::span<const NearPoint> list) {
  FuzzyScale scale;
  double mean = 0;
  for (const NearPoint& near : list) {
    const double distance = std::sqrt(double(near.distance));
    if (distance > 0 && !(scale.rho > 0)) scale.rho = distance;  // the list is ascending
    mean += distance / double(list.size());
  }
  const double wanted = std::log2(double(list.size())), least = 1e-3 * mean;
  const auto sum = [&](double sigma) {
    double total = 0;
    for (const NearPoint& near : list) total += fuzzy_weight(near.distance, {scale.rho, sigma});
    return total;
  };
  // The sum grows with sigma, from the number of points within rho to the length of the list.
  scale.sigma = least;
  if (!(mean > 0) || sum(least) >= wanted) return scale;
  double low = least, high = mean;
  while (sum(high) < wanted) low = high, high *= 2;
  for (int step = 0; step < 52; ++step) {
    const double middle = (low + high) / 2;
    (sum(middle) < wanted ? low : high) = middle;
  }
  scale.sigma = high;
  return scale;
}

double neighbor_width(const NeighborLists& lists) {
  double sum = 0, count = 0;
  for (const NearPoint& near : lists.points) {
    if (!(near.distance > 0)) continue;
    sum += std::sqrt(double(near.distance));
    ++count;
  }
  return count > 0 ? sum / count : 0;
}

SparseMatrix weigh_neighbors(const NeighborLists& lists, NeighborWeights weights, double width, EdgeRule rule,
                             const RowSpace& rows) {
  const int64_t n = lists.size(), m = lists.each;
  const std::vector<Edge> edges = directed_edges(lists, weights, width, rows);
  const Reversed reversed = reverse(edges, n, m);
  const auto for_each_edge = [&](int64_t i, const auto& use) {
    const auto begin = size_t(reversed.starts[size_t(i)]), end = size_t(reversed.starts[size_t(i) + 1]);
    merge_edges(std::span(edges).subspan(size_t(i * m), size_t(m)),
                std::span(reversed.edges).subspan(begin, end - begin), rule == EdgeRule::mutual, use);
  };
  SparseMatrix graph;
  graph.starts.assign(size_t(n + 1), 0);
  rows.for_each_block([&](int64_t, Range range) {
    for (int64_t i = range.begin; i < range.end; ++i)
      for_each_edge(i, [&](int32_t, float) { ++graph.starts[size_t(i) + 1]; });
  });
  std::partial_sum(graph.starts.begin(), graph.starts.end(), graph.starts.begin());
  graph.columns.resize(size_t(graph.starts.back()));
  graph.values.resize(size_t(graph.starts.back()));
  rows.for_each_block([&](int64_t, Range range) {
    for (int64_t i = range.begin; i < range.end; ++i) {
      auto at = size_t(graph.starts[size_t(i)]);
      for_each_edge(i, [&](int32_t point, float weight) {
        graph.columns[at] = point;
        graph.values[at++] = weight;
      });
    }
  });
  return graph;
}

}  // namespace mbsc
