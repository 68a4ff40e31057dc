// SPDX-License-Identifier: Apache-2.0
#include "mbsc/affinity/graph/weights.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mbsc/linalg/reduce.h"
#include "mbsc/linalg/row_exchange.h"

namespace mbsc {
namespace {

/// A directed edge: the point at its end, and its weight.
struct Edge {
  int32_t point;
  float weight;
};

/// Finds the position of a neighbor, given by its place, among the own places and those of other ranks.
class Neighborhood {
 public:
  /// Collective.
  Neighborhood(const NeighborLists& lists, const RowSpace& rows) : own_(rows.own_rows()) {
    if (rows.comm().size() == 1) return;
    std::vector<int64_t> wanted;
    for (const NearPoint& near : lists.points)
      if (!own_.contains(near.point)) wanted.push_back(near.point);
    std::sort(wanted.begin(), wanted.end());
    wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
    others_ = RowExchange(rows, std::move(wanted));
  }
  /// First the own places, then the others in ascending order.
  int64_t position_of(int64_t place) const {
    if (own_.contains(place)) return place - own_.begin;
    const auto& places = others_.rows();
    return own_.size() + (std::lower_bound(places.begin(), places.end(), place) - places.begin());
  }
  int64_t size() const { return own_.size() + others_.size(); }
  const RowExchange& others() const { return others_; }

 private:
  Range own_;
  RowExchange others_;
};

/// For each position of a neighborhood, the set of the neighbors of the point there and the point itself, in ascending
/// order. Collective.
Matrix<int32_t> neighbor_sets(const NeighborLists& lists, const Neighborhood& around, const RowSpace& rows) {
  const int64_t size = lists.each + 1;
  Matrix<int32_t> sets(around.size(), size);
  rows.for_each_block([&](int64_t, Range range) {
    for (int64_t i = range.begin; i < range.end; ++i) {
      int32_t* set = sets.row(i);
      *set = int32_t(rows.own_rows().begin + i);
      for (const NearPoint& near : lists.of(i)) *++set = near.point;
      std::sort(sets.row(i), sets.row(i) + size);
    }
  });
  const int64_t own = rows.local_rows();
  around.others().fetch<int32_t>(rows.comm(), sets.view().rows_between(0, own), sets.row(own));
  return sets;
}

/// s_i^2 for each position of a neighborhood. Collective.
Matrix<double> local_squares(const NeighborLists& lists, const Neighborhood& around, const RowSpace& rows) {
  const int64_t own = rows.local_rows();
  Matrix<double> squares(around.size(), 1);
  for (int64_t i = 0; i < own; ++i) squares(i, 0) = local_square(lists.of(i));
  around.others().fetch<double>(rows.comm(), squares.view().rows_between(0, own), squares.row(own));
  return squares;
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

/// The directed edges of each own point, in ascending order of their end points. Collective.
std::vector<Edge> directed_edges(const NeighborLists& lists, NeighborWeights weights, double width,
                                 const RowSpace& rows) {
  const int64_t m = lists.each;
  const bool has_sets = is_shared(weights), is_local = weights == NeighborWeights::local,
             is_fuzzy = weights == NeighborWeights::fuzzy;
  const Neighborhood around(lists, rows);
  const Matrix<int32_t> sets = has_sets ? neighbor_sets(lists, around, rows) : Matrix<int32_t>();
  const Matrix<double> squares = is_local ? local_squares(lists, around, rows) : Matrix<double>();
  const auto local = [&](int64_t position) { return is_local ? squares(position, 0) : 0; };
  std::vector<Edge> edges(size_t(lists.size() * m));
  rows.for_each_block(
      [&](int64_t, Range range) {
        for (int64_t i = range.begin; i < range.end; ++i) {
          constexpr int64_t ahead = 3;  // prefetch, because neighborhoods are scattered in memory
          if (has_sets && i + ahead < range.end)
            for (const NearPoint& near : lists.of(i + ahead)) {
              const int32_t* soon = sets.row(around.position_of(near.point));
              for (int64_t at = 0; at <= m; at += 16) __builtin_prefetch(soon + at);
            }
          Edge* to = edges.data() + i * m;
          const auto list = lists.of(i);
          const FuzzyScale scale = is_fuzzy ? fuzzy_scale(list) : FuzzyScale();
          for (int64_t e = 0; e < m; ++e) {
            const NearPoint near = list[size_t(e)];
            const int64_t j = around.position_of(near.point);
            double weight = is_fuzzy ? fuzzy_weight(near.distance, scale)
                                     : distance_weight(weights, near.distance, width, local(i), local(j));
            if (has_sets) weight *= jaccard(sets.row(i), sets.row(j), m + 1);
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

/// The edges that end at each own point, in ascending order of the points where they begin.
struct Reversed {
  std::vector<int64_t> starts;
  std::vector<Edge> edges;
};

/// An edge that ends on another rank.
struct LeavingEdge {
  int32_t from, to;
  float weight;
};

/// Collective.
Reversed reverse(const std::vector<Edge>& edges, int64_t m, const RowSpace& rows) {
  const Range own = rows.own_rows();
  const Comm& comm = rows.comm();
  std::vector<std::vector<LeavingEdge>> parts(static_cast<size_t>(comm.size()));
  Reversed reversed;
  reversed.starts.assign(size_t(own.size() + 1), 0);
  const auto count = [&](int32_t end) { ++reversed.starts[size_t(end - own.begin) + 1]; };
  for (size_t e = 0; e < edges.size(); ++e) {
    if (own.contains(edges[e].point))
      count(edges[e].point);
    else
      parts[size_t(rows.rank_of_row(edges[e].point))].push_back(
          {int32_t(own.begin + int64_t(e) / m), edges[e].point, edges[e].weight});
  }
  parts = exchange_parts<LeavingEdge>(comm, std::move(parts));
  for (const auto& part : parts)
    for (const LeavingEdge& edge : part) count(edge.to);
  std::partial_sum(reversed.starts.begin(), reversed.starts.end(), reversed.starts.begin());
  std::vector<int64_t> next(reversed.starts.begin(), reversed.starts.end() - 1);
  reversed.edges.resize(size_t(reversed.starts.back()));
  const auto put = [&](int32_t end, int32_t from, float weight) {
    reversed.edges[size_t(next[size_t(end - own.begin)]++)] = {from, weight};
  };
  for (int rank = 0; rank < comm.size(); ++rank) {  // in the order of the points where the edges begin
    for (const LeavingEdge& edge : parts[size_t(rank)]) put(edge.to, edge.from, edge.weight);
    if (rank != comm.rank()) continue;
    for (size_t e = 0; e < edges.size(); ++e)
      if (own.contains(edges[e].point)) put(edges[e].point, int32_t(own.begin + int64_t(e) / m), edges[e].weight);
  }
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

double neighbor_width(const NeighborLists& lists, const RowSpace& rows) {
  const std::vector<double> sums = sum_over_blocks(rows, 2, [&](int64_t, Range range, std::span<double> out) {
    for (int64_t i = range.begin; i < range.end; ++i)
      for (const NearPoint& near : lists.of(i)) {
        if (!(near.distance > 0)) continue;
        out[0] += std::sqrt(double(near.distance));
        ++out[1];
      }
  });
  return sums[1] > 0 ? sums[0] / sums[1] : 0;
}

SparseMatrix weigh_neighbors(const NeighborLists& lists, NeighborWeights weights, double width, EdgeRule rule,
                             const RowSpace& rows) {
  const int64_t n = rows.local_rows(), m = lists.each;
  const std::vector<Edge> edges = directed_edges(lists, weights, width, rows);
  const Reversed reversed = reverse(edges, m, rows);
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
  make_columns_local(rows, graph);
  return graph;
}

}  // namespace mbsc
