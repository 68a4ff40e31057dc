// SPDX-License-Identifier: Apache-2.0
#include "mbsc/solvers/chebyshev/multilevel.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "mbsc/base/random.h"
#include "mbsc/linalg/dense.h"
#include "mbsc/linalg/row_balance.h"
#include "mbsc/linalg/tall.h"
#include "mbsc/solvers/chebyshev/coarsen.h"
#include "mbsc/solvers/rayleigh_ritz.h"

namespace mbsc {
namespace {

/// Levels of at most this many nodes are gathered on all ranks.
constexpr int64_t most_gathered = 16384;

/// The graph of one level, the degrees of its own nodes, and the aggregates that the nodes form in the next coarser level.
struct Level {
  RowSpace space;    ///< of one rank if the level is on every rank
  SparseMatrix own;  ///< empty on the finest level
  const SparseMatrix* graph = nullptr;
  std::vector<double> degrees;
  std::vector<int32_t> aggregate_of;      ///< of each own node: an aggregate of this rank, in the next coarser level
  std::vector<double> aggregate_degrees;  ///< of the aggregates of this rank
  Range aggregates;                       ///< their numbers in the next coarser level
};

std::vector<double> degrees_of(const SparseMatrix& graph) {
  std::vector<double> degrees(static_cast<size_t>(graph.rows()));
  for (int64_t i = 0; i < graph.rows(); ++i)
    for (int64_t e = graph.starts[size_t(i)]; e < graph.starts[size_t(i + 1)]; ++e)
      degrees[size_t(i)] += graph.values[size_t(e)];
  return degrees;
}

float inverse_root(double degree) { return degree > 0 ? float(1 / std::sqrt(degree)) : 0.0F; }

/// The whole graph of a level, on every rank. Collective.
SparseMatrix gather_graph(const Level& level) {
  return redistribute(level.space.comm(), with_global_columns(*level.graph, level.space), {level.space.n(), 1});
}

/// The leading eigenvectors: their own rows. Every rank computes all of them. Collective.
Matrix<float> solve_dense(const Level& level, int64_t columns) {
  const int64_t n = level.space.n();
  const bool is_shared = level.space.comm().size() > 1;
  const SparseMatrix gathered = is_shared ? gather_graph(level) : SparseMatrix();
  const SparseMatrix& graph = is_shared ? gathered : *level.graph;
  const std::vector<double> degrees = level.space.comm().gather<double>(level.degrees);
  Eigen::MatrixXd L = Eigen::MatrixXd::Zero(n, n);
  const auto s = [&](int64_t i) { return double(inverse_root(degrees[size_t(i)])); };
  for (int64_t i = 0; i < n; ++i)
    for (int64_t e = graph.starts[size_t(i)]; e < graph.starts[size_t(i + 1)]; ++e) {
      const int64_t j = graph.columns[size_t(e)];
      L(i, j) = s(i) * s(j) * double(graph.values[size_t(e)]);
    }
  const SmallEigen eigen = eigen_descending(L);
  const Range own = level.space.own_rows();
  Matrix<float> W(own.size(), columns);
  for (int64_t i = 0; i < own.size(); ++i)
    for (int64_t j = 0; j < std::min(n, columns); ++j) W(i, j) = float(eigen.vectors(own.begin + i, j));
  return W;
}

/// From the rows X of the aggregates of this rank.
Matrix<float> prolong(const Level& fine, MatrixView<const float> X) {
  Matrix<float> W(fine.graph->rows(), X.cols);
  for (int64_t i = 0; i < W.rows(); ++i) {
    const int32_t a = fine.aggregate_of[size_t(i)];
    if (a < 0) continue;
    const auto factor = float(std::sqrt(fine.degrees[size_t(i)] / fine.aggregate_degrees[size_t(a)]));
    for (int64_t j = 0; j < X.cols; ++j) W(i, j) = factor * X(a, j);
  }
  return W;
}

/// The same from the rows of the coarse level, which may have another distribution. Collective.
Matrix<float> prolong(const Level& fine, const Level& coarse, const Matrix<float>& X) {
  const Range own = fine.aggregates;
  if (coarse.space.comm().size() == 1) return prolong(fine, X.view().rows_between(own.begin, own.end));
  const RowBalance balance(coarse.space.comm(), own.size());
  const std::vector<float> rows = balance.to_given<float>({X.data(), size_t(X.size())}, X.cols());
  return prolong(fine, MatrixView<const float>(rows.data(), own.size(), X.cols()));
}

/// Coarsens a small distributed level as a whole on every rank. The nodes of this rank keep their aggregates.
CoarseGraph coarsen_gathered(const Level& fine, uint64_t seed, uint64_t level) {
  CoarseGraph coarse = coarsen(gather_graph(fine), {fine.space.n(), fine.space.threads()}, false, seed, level);
  const Range own = fine.space.own_rows();
  coarse.aggregate_of = {coarse.aggregate_of.begin() + own.begin, coarse.aggregate_of.begin() + own.end};
  return coarse;
}

/// The levels, from the given graph to the coarsest. Levels of at most `most` nodes are gathered.
std::vector<Level> build_levels(const SparseMatrix& graph, std::span<const double> degrees, const RowSpace& space,
                                bool is_placed, int64_t smallest, int64_t most, uint64_t seed, const StopToken& stop) {
  std::vector<Level> levels(1);
  levels.reserve(64);
  levels[0].space = space;
  levels[0].graph = &graph;
  levels[0].degrees.assign(degrees.begin(), degrees.end());
  while (levels.back().space.n() > smallest && levels.size() < 60) {
    if (stop.stop_requested()) throw Stopped();
    Level& fine = levels.back();
    const int64_t n = fine.space.n();
    const Comm& comm = fine.space.comm();
    const bool is_gathered = comm.size() > 1 && n <= most;
    CoarseGraph coarse = is_gathered ? coarsen_gathered(fine, seed, levels.size())
                                     : coarsen(*fine.graph, fine.space, is_placed && n > most, seed, levels.size());
    if (double(coarse.total) > 0.8 * double(n)) break;
    fine.aggregate_of = std::move(coarse.aggregate_of);
    fine.aggregates = coarse.own;
    fine.aggregate_degrees = degrees_of(coarse.graph);
    Level& next = levels.emplace_back();
    const bool is_shared = comm.size() > 1 && coarse.total > most;
    next.space = is_shared ? RowSpace(coarse.total, space.threads(), comm) : RowSpace(coarse.total, space.threads());
    next.own = is_gathered || comm.size() == 1 ? std::move(coarse.graph) : redistribute(comm, coarse.graph, next.space);
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
                                 bool is_placed, int64_t k, int64_t columns, uint64_t seed, const StopToken& stop) {
  const int64_t smallest = std::max<int64_t>(300, 4 * columns), most = std::max(most_gathered, 2 * smallest);
  const std::vector<Level> levels = build_levels(graph, degrees, L.space(), is_placed, smallest, most, seed, stop);
  MultilevelStart start;
  Matrix<float>& W = start.block;
  for (size_t at = levels.size(); at-- > 0;) {
    const Level& level = levels[at];
    const GraphOperator own(*level.graph, level.degrees, 0, level.space, stop);
    const bool is_coarsest = at + 1 == levels.size(), is_dense = is_coarsest && level.space.n() <= 2 * smallest;
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
