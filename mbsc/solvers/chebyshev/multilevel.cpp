// SPDX-License-Identifier: Apache-2.0
#include "mbsc/solvers/chebyshev/multilevel.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "mbsc/base/random.h"
#include "mbsc/linalg/dense.h"
#include "mbsc/linalg/tall.h"
#include "mbsc/solvers/rayleigh_ritz.h"

namespace mbsc {
namespace {

constexpr int64_t aggregate_size = 8;

/// The graph of one level, the degrees of its nodes, and the aggregates that the nodes form in the next coarser level.
struct Level {
  SparseMatrix own;  ///< empty on the finest level
  const SparseMatrix* graph = nullptr;
  std::vector<double> degrees;
  std::vector<int32_t> aggregate_of;  ///< of each node, in the next coarser level
};

std::vector<double> degrees_of(const SparseMatrix& graph) {
  std::vector<double> degrees(static_cast<size_t>(graph.rows()));
  for (int64_t i = 0; i < graph.rows(); ++i)
    for (int64_t e = graph.starts[size_t(i)]; e < graph.starts[size_t(i + 1)]; ++e)
      degrees[size_t(i)] += graph.values[size_t(e)];
  return degrees;
}

float inverse_root(double degree) { return degree > 0 ? float(1 / std::sqrt(degree)) : 0.0F; }

Matrix<float> solve_dense(const Level& level, int64_t columns) {
  const int64_t n = level.graph->rows();
  Eigen::MatrixXd L = Eigen::MatrixXd::Zero(n, n);
  const auto s = [&](int64_t i) { return double(inverse_root(level.degrees[size_t(i)])); };
  for (int64_t i = 0; i < n; ++i)
    for (int64_t e = level.graph->starts[size_t(i)]; e < level.graph->starts[size_t(i + 1)]; ++e) {
      const int64_t j = level.graph->columns[size_t(e)];
      L(i, j) = s(i) * s(j) * double(level.graph->values[size_t(e)]);
    }
  const SmallEigen eigen = eigen_descending(L);
  Matrix<float> W(n, columns);
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < std::min(n, columns); ++j) W(i, j) = float(eigen.vectors(i, j));
  return W;
}

Matrix<float> prolong(const Level& fine, const Level& coarse, const Matrix<float>& X) {
  Matrix<float> W(fine.graph->rows(), X.cols());
  for (int64_t i = 0; i < W.rows(); ++i) {
    const int32_t a = fine.aggregate_of[size_t(i)];
    if (a < 0) continue;
    const auto factor = float(std::sqrt(fine.degrees[size_t(i)] / coarse.degrees[size_t(a)]));
    for (int64_t j = 0; j < X.cols(); ++j) W(i, j) = factor * X(a, j);
  }
  return W;
}

/// Visits the nodes in random order. A node forms an aggregate with its strongest free neighbors. A node without a free
/// neighbor later joins the aggregate of its strongest neighbor. Returns the aggregate of each node (-1: a node without
/// edges), and in `count` their number.
std::vector<int32_t> aggregate(const SparseMatrix& graph, uint64_t seed, uint64_t level, int32_t& count) {
  const int64_t n = graph.rows();
  std::vector<int32_t> of(size_t(n), -1);
  const KeyedPermutation order(n, Random(seed, Stream::start), level);
  std::vector<std::pair<float, int32_t>> free;
  count = 0;
  std::vector<int32_t> late;
  for (int64_t step = 0; step < n; ++step) {
    const int64_t i = order(step);
    if (of[size_t(i)] >= 0) continue;
    free.clear();
    bool has_neighbor = false;
    for (int64_t e = graph.starts[size_t(i)]; e < graph.starts[size_t(i + 1)]; ++e) {
      const int32_t j = graph.columns[size_t(e)];
      if (j == i) continue;
      has_neighbor = true;
      if (of[size_t(j)] < 0) free.emplace_back(-graph.values[size_t(e)], j);
    }
    if (free.empty()) {
      if (has_neighbor)
        late.push_back(int32_t(i));
      else if (graph.starts[size_t(i + 1)] > graph.starts[size_t(i)])
        of[size_t(i)] = count++;  // only a loop: an aggregate of its own
      continue;
    }
    std::sort(free.begin(), free.end());
    of[size_t(i)] = count;
    for (size_t f = 0; f < std::min(free.size(), size_t(aggregate_size - 1)); ++f) of[size_t(free[f].second)] = count;
    ++count;
  }
  for (const int32_t i : late) {
    float best = -1;
    for (int64_t e = graph.starts[size_t(i)]; e < graph.starts[size_t(i + 1)]; ++e) {
      const int32_t j = graph.columns[size_t(e)];
      if (j == i || of[size_t(j)] < 0 || graph.values[size_t(e)] <= best) continue;
      best = graph.values[size_t(e)];
      of[size_t(i)] = of[size_t(j)];
    }
  }
  return of;
}

}  // namespace

CoarseGraph coarsen(const SparseMatrix& graph, uint64_t seed, uint64_t level) {
  CoarseGraph coarse;
  int32_t count = 0;
  coarse.aggregate_of = aggregate(graph, seed, level, count);
  std::vector<int64_t> starts(size_t(count) + 1);
  for (const int32_t a : coarse.aggregate_of)
    if (a >= 0) ++starts[size_t(a) + 1];
  for (size_t a = 0; a < size_t(count); ++a) starts[a + 1] += starts[a];
  std::vector<int32_t> nodes(size_t(starts.back()));
  std::vector<int64_t> next(starts.begin(), starts.end() - 1);
  for (size_t i = 0; i < coarse.aggregate_of.size(); ++i)
    if (const int32_t a = coarse.aggregate_of[i]; a >= 0) nodes[size_t(next[size_t(a)]++)] = int32_t(i);
  SparseMatrix& out = coarse.graph;
  out.starts.assign(size_t(count) + 1, 0);
  std::vector<double> sums(static_cast<size_t>(count));
  std::vector<int32_t> touched;
  for (int32_t a = 0; a < count; ++a) {
    touched.clear();
    for (int64_t at = starts[size_t(a)]; at < starts[size_t(a) + 1]; ++at) {
      const int64_t i = nodes[size_t(at)];
      for (int64_t e = graph.starts[size_t(i)]; e < graph.starts[size_t(i + 1)]; ++e) {
        const int32_t b = coarse.aggregate_of[size_t(graph.columns[size_t(e)])];
        if (sums[size_t(b)] == 0) touched.push_back(b);
        sums[size_t(b)] += graph.values[size_t(e)];
      }
    }
    std::sort(touched.begin(), touched.end());
    for (const int32_t b : touched) {
      out.columns.push_back(b);
      out.values.push_back(float(sums[size_t(b)]));
      sums[size_t(b)] = 0;
    }
    out.starts[size_t(a) + 1] = int64_t(out.columns.size());
  }
  return coarse;
}

namespace {

/// The levels, from the given graph to the coarsest.
std::vector<Level> build_levels(const SparseMatrix& graph, std::span<const double> degrees, int64_t smallest,
                                uint64_t seed, const StopToken& stop) {
  std::vector<Level> levels(1);
  levels.reserve(64);
  levels[0].graph = &graph;
  levels[0].degrees.assign(degrees.begin(), degrees.end());
  while (levels.back().graph->rows() > smallest && levels.size() < 60) {
    if (stop.stop_requested()) throw Stopped();
    Level& fine = levels.back();
    CoarseGraph coarse = coarsen(*fine.graph, seed, levels.size());
    if (double(coarse.graph.rows()) > 0.8 * double(fine.graph->rows())) break;
    fine.aggregate_of = std::move(coarse.aggregate_of);
    Level& next = levels.emplace_back();
    next.own = std::move(coarse.graph);
    next.degrees = degrees_of(next.own);
    next.graph = &next.own;
  }
  return levels;
}

/// Ritz steps, each followed by a filter. Each filter is twice as long as the one before. Returns the number of
/// products.
int64_t smooth(const GraphOperator& L, int64_t k, int rounds, uint64_t seed, Matrix<float>& W) {
  Matrix<float> image;
  int64_t products = 0;
  for (int round = 0; round < rounds; ++round) {
    const Eigen::VectorXd values = L.rotate_to_ritz(W, image);
    const int64_t degree = int64_t{12} << std::min(round, 3);
    const double rough = filter_cut(values[k - 1], degree, 100);
    L.filter(std::clamp(std::min(rough, values[values.size() - 1]), -0.9, 1 - 1e-6), degree, W);
    orthonormalize_or_refill<float>(L.space(), W, seed, round);
    products += 1 + degree;
  }
  return products;
}

}  // namespace

MultilevelStart multilevel_start(const GraphOperator& L, const SparseMatrix& graph, std::span<const double> degrees,
                                 int64_t k, int64_t columns, uint64_t seed, const StopToken& stop) {
  const int64_t smallest = std::max<int64_t>(300, 4 * columns);
  const int threads = L.space().threads();
  const std::vector<Level> levels = build_levels(graph, degrees, smallest, seed, stop);
  MultilevelStart start;
  Matrix<float>& W = start.block;
  for (size_t at = levels.size(); at-- > 0;) {
    const Level& level = levels[at];
    const GraphOperator own(*level.graph, level.degrees, 0, threads, stop);
    const bool is_coarsest = at + 1 == levels.size(), is_dense = is_coarsest && level.graph->rows() <= 2 * smallest;
    if (is_dense) {
      W = solve_dense(level, columns);
    } else if (is_coarsest) {
      W = Matrix<float>(level.graph->rows(), columns);
      fill_normal<float>(own.space(), W, Random(seed, Stream::start), 0);
    } else {
      W = prolong(level, levels[at + 1], W);
    }
    orthonormalize_or_refill<float>(own.space(), W, seed, int64_t(at));
    if (is_dense) continue;
    const int64_t products = smooth(at == 0 ? L : own, k, is_coarsest ? 8 : at == 0 ? 2 : 3, seed, W);
    if (at == 0) start.products = products;
  }
  return start;
}

}  // namespace mbsc
