// SPDX-License-Identifier: Apache-2.0
#include "mbsc/model/graph_product.h"

#include <algorithm>

#include "mbsc/affinity/graph/query_search.h"
#include "mbsc/affinity/graph/weights.h"
#include "mbsc/base/require.h"
#include "mbsc/linalg/row_space.h"

namespace mbsc {
namespace {

/// The edges of a point, and working memory.
struct Edges {
  std::vector<int32_t> points;
  std::vector<float> weights;
  std::vector<int32_t> list;  ///< the list of a new point, in ascending order
};

/// The edges of a fitted point.
void take_fitted(const FittedGraph& graph, int64_t i, Edges& edges) {
  const auto first = graph.starts[size_t(i)], last = graph.starts[size_t(i) + 1];
  edges.points.assign(graph.columns.begin() + first, graph.columns.begin() + last);
  edges.weights.assign(graph.values.begin() + first, graph.values.begin() + last);
}

/// |N_x and N_j| / |N_x or N_j| for a new point x and a point j of its list. `enters`: x would be in the list of j.
double shared_part(const FittedGraph& graph, std::span<const int32_t> list, int32_t j, bool enters) {
  int64_t common = enters ? 2 : 1;  // j, and x
  const int32_t* of_j = graph.lists.data() + j * graph.each;
  for (int64_t e = 0; e < graph.each - (enters ? 1 : 0); ++e)
    common += std::binary_search(list.begin(), list.end(), of_j[e]) ? 1 : 0;
  return double(common) / double(int64_t(list.size()) + 1 + graph.each + 1 - common);
}

/// The edges of a new point with this list.
void take_new(const FittedGraph& graph, std::span<const NearPoint> list, Edges& edges) {
  edges.points.clear();
  edges.weights.clear();
  edges.list.clear();
  for (const NearPoint& near : list) edges.list.push_back(near.point);
  std::sort(edges.list.begin(), edges.list.end());
  const bool is_local = graph.weights == NeighborWeights::local, is_fuzzy = graph.weights == NeighborWeights::fuzzy;
  const FuzzyScale scale = is_fuzzy ? fuzzy_scale(list) : FuzzyScale();
  for (size_t e = 0; e < list.size(); ++e) {
    const int32_t j = list[e].point;
    if (graph.starts[size_t(j)] == graph.starts[size_t(j) + 1]) continue;  // isolated
    const bool enters = list[e].distance < graph.reach[size_t(j)];
    if (!enters && graph.edges == EdgeRule::mutual) continue;
    double weight = is_fuzzy
                        ? fuzzy_weight(list[e].distance, scale)
                        : distance_weight(graph.weights, list[e].distance, graph.width,
                                          is_local ? local_square(list) : 0, is_local ? graph.local[size_t(j)] : 0);
    if (is_shared(graph.weights)) weight *= shared_part(graph, edges.list, j, enters);
    auto forward = float(weight);
    if (forward < least_weight) forward = e == 0 ? least_weight : 0;
    float backward = enters ? forward : 0;  // w_jx
    if (enters && is_fuzzy) {
      const float* of_j = graph.local.data() + 2 * j;
      backward = float(fuzzy_weight(list[e].distance, {of_j[0], of_j[1]}));
      if (backward < least_weight) backward = 0;
    }
    if (forward + backward == 0) continue;
    edges.points.push_back(j);
    edges.weights.push_back((forward + backward) / 2);
  }
}

/// The entries of a list that were found.
std::span<const NearPoint> found_part(std::span<const NearPoint> list) {
  const auto end = std::find_if(list.begin(), list.end(), [](const NearPoint& near) { return near.point < 0; });
  return list.subspan(0, size_t(end - list.begin()));
}

void multiply_edges(const Edges& edges, MatrixView<const float> V, double* out) {
  std::fill_n(out, V.cols, 0.0);
  for (size_t e = 0; e < edges.points.size(); ++e) {
    const float* row = V.row(edges.points[e]);
    for (int64_t c = 0; c < V.cols; ++c) out[c] += double(edges.weights[e]) * double(row[c]);
  }
}

bool all_below(std::span<const int32_t> numbers, int64_t limit) {
  return std::all_of(numbers.begin(), numbers.end(), [&](int32_t i) { return i >= 0 && i < limit; });
}

}  // namespace

void check_graph(const FittedGraph& graph, const SearchIndex& index, int64_t n) {
  const auto size = [](const auto& values) { return int64_t(values.size()); };
  const bool has_lists = is_shared(graph.weights);
  const bool edges_fit = size(graph.starts) == n + 1 && graph.starts.front() == 0 &&
                         std::is_sorted(graph.starts.begin(), graph.starts.end()) &&
                         graph.starts.back() == size(graph.columns) && size(graph.columns) == size(graph.values);
  require(edges_fit && all_below(graph.columns, n), "the edges of the model's graph do not fit its {} points", n);
  require(graph.each >= 1 && size(graph.reach) == n && size(graph.lists) == (has_lists ? n * graph.each : 0) &&
              size(graph.local) == n * local_values(graph.weights) && all_below(graph.lists, n),
          "the neighbor lists of the model do not fit its {} points and {} neighbors", n, graph.each);
  const int64_t distinct = index.firsts.empty() ? n : size(index.firsts), leaders = size(index.leaders);
  require(all_below(index.firsts, n) && all_below(index.leaders, distinct) && all_below(index.leader_of, leaders) &&
              size(index.leader_of) == (leaders > 0 ? distinct : 0) && index.probes >= (leaders > 0 ? 1 : 0) &&
              index.probes <= leaders,
          "the search index of the model does not fit its {} points", n);
}

void multiply_graph(const Model& model, const Points& X, const RectangularPairs& pairs, MatrixView<const float> V,
                    MatrixView<double> out, int threads, const StopToken& stop) {
  const FittedGraph& graph = *model.graph;
  std::vector<int64_t> fitted(pairs.rows.size(), -1);  // the fitted point that a row coincides with
  for (size_t j = 0; j < pairs.zero.size(); ++j)
    if (pairs.zero[j] >= 0) fitted[size_t(pairs.zero[j])] = int64_t(j);
  std::vector<int64_t> asked, number(pairs.rows.size());
  for (size_t p = 0; p < fitted.size(); ++p) {
    if (fitted[p] >= 0) continue;
    number[p] = int64_t(asked.size());
    asked.push_back(pairs.rows[p]);
  }
  const NeighborLists lists =
      find_nearest(model.points, model.index, X, asked, graph.each, graph.metric, threads, stop);
  RowSpace(out.rows, threads)
      .for_each_block(
          [&](int64_t, Range range) {
            Edges edges;
            for (int64_t p = range.begin; p < range.end; ++p) {
              int64_t equal = fitted[size_t(p)];
              std::span<const NearPoint> list;
              if (equal < 0) list = found_part(lists.of(number[size_t(p)]));
              if (!list.empty() && list.front().distance == 0) equal = list.front().point;
              equal >= 0 ? take_fitted(graph, equal, edges) : take_new(graph, list, edges);
              multiply_edges(edges, V, out.row(p));
            }
          },
          double(graph.each * (V.cols + 4 * graph.each)));
}

}  // namespace mbsc
