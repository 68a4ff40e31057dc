// SPDX-License-Identifier: Apache-2.0
// Compares the Chebyshev solver with dense LAPACK, on graphs that are difficult for eigensolvers.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>

#include "mbsc/affinity/graph/sparse_affinity.h"
#include "mbsc/solvers/chebyshev/chebyshev.h"
#include "mbsc/solvers/chebyshev/coarsen.h"
#include "tests/affinity/dense_oracle.h"
#include "tests/oracle/dense_algebra.h"

namespace mbsc {
namespace {

using Eigen::MatrixXd;
using testing::DenseEigen;
using testing::to_eigen;

using Edges = std::map<std::pair<int64_t, int64_t>, double>;

struct Graph {
  std::string name;
  int64_t n = 0;
  Edges edges;
  void join(int64_t i, int64_t j, double weight) {
    if (i != j) edges[{std::min(i, j), std::max(i, j)}] = weight;
  }
};

/// A graph of one of ten kinds (0 to 9), with 60 to 459 nodes.
Graph make_graph(int kind, uint64_t seed) {
  const Random random(seed * 100 + uint64_t(kind), Stream::test);
  const int64_t n = 60 + random.below(400, 1);
  Graph g{"", n, {}};
  const auto anyone = [&](uint64_t draw) { return random.below(n, 2, draw); };
  const auto random_edges = [&](int64_t count, const auto& weight) {
    for (int64_t e = 0; e < count; ++e) g.join(anyone(uint64_t(2 * e)), anyone(uint64_t(2 * e + 1)), weight(e));
  };
  const auto blocks = [&](int64_t count, double across) {
    for (int64_t e = 0; e < 12 * n; ++e) {
      const int64_t i = anyone(uint64_t(2 * e)), j = anyone(uint64_t(2 * e + 1));
      if (i % count == j % count || random.uniform(3, uint64_t(e)) < across) g.join(i, j, 1);
    }
  };
  switch (kind) {
    case 0:
      g.name = "random edges";
      random_edges(6 * n, [](int64_t) { return 1.0; });
      break;
    case 1:
      g.name = "weights over ten decades";
      random_edges(8 * n, [&](int64_t e) { return std::pow(10.0, -10 * random.uniform(4, uint64_t(e))); });
      break;
    case 2:
      g.name = "a path";
      for (int64_t i = 0; i + 1 < n; ++i) g.join(i, i + 1, 1);
      break;
    case 3:
      g.name = "a cycle: eigenvalues twice";
      for (int64_t i = 0; i < n; ++i) g.join(i, (i + 1) % n, 1);
      break;
    case 4:
      g.name = "a star";
      for (int64_t i = 1; i < n; ++i) g.join(0, i, 1 + random.uniform(5, uint64_t(i)));
      break;
    case 5:
      g.name = "four blocks";
      blocks(4, 0.05);
      break;
    case 6:
      g.name = "three components";
      blocks(3, 0);
      break;
    case 7:
      g.name = "a grid";
      for (int64_t i = 0; i < n; ++i) {
        if (i % 10 != 9 && i + 1 < n) g.join(i, i + 1, 1);
        if (i + 10 < n) g.join(i, i + 10, 1);
      }
      break;
    case 8:
      g.name = "isolated nodes beside random edges";
      random_edges(n, [](int64_t) { return 2.0; });
      break;
    case 9:
      g.name = "two cliques and a bridge";
      for (int64_t i = 0; i < n; ++i)
        for (int64_t j = i + 1; j < n; j += 3)
          if ((i < n / 2) == (j < n / 2)) g.join(i, j, 1);
      g.join(0, n - 1, 0.01);
      break;
  }
  return g;
}

SparseMatrix to_sparse(const Graph& g) {
  std::vector<std::map<int32_t, float>> rows(static_cast<size_t>(g.n));
  for (const auto& [edge, weight] : g.edges) {
    rows[size_t(edge.first)][int32_t(edge.second)] = float(weight);
    rows[size_t(edge.second)][int32_t(edge.first)] = float(weight);
  }
  SparseMatrix matrix;
  matrix.starts.push_back(0);
  for (const auto& row : rows) {
    for (const auto& [column, value] : row) {
      matrix.columns.push_back(column);
      matrix.values.push_back(value);
    }
    matrix.starts.push_back(int64_t(matrix.columns.size()));
  }
  return matrix;
}

/// All eigenpairs of the normalized matrix of the graph.
DenseEigen dense_eigen(const SparseMatrix& graph) {
  MatrixXd A = MatrixXd::Zero(graph.rows(), graph.rows());
  for (int64_t i = 0; i < graph.rows(); ++i)
    for (int64_t e = graph.starts[size_t(i)]; e < graph.starts[size_t(i + 1)]; ++e)
      A(i, graph.columns[size_t(e)]) = double(graph.values[size_t(e)]);
  return testing::dense_eigen(testing::normalized(A));
}

TEST(Chebyshev, AgreesWithLapackOnTwoHundredGraphs) {
  for (int kind = 0; kind < 10; ++kind)
    for (uint64_t seed = 0; seed < 20; ++seed) {
      const Graph g = make_graph(kind, seed);
      const SparseAffinity A(to_sparse(g), RowSpace(g.n, 1));
      const DenseEigen dense = dense_eigen(*A.edges());
      ClusterOptions options;
      options.clusters = testing::k_at_gap(dense.values, 12);
      options.limits.tolerance = 1e-6;
      options.seed = seed;
      const int64_t k = options.clusters;
      const double gap = dense.values[k - 1] - dense.values[k];
      const Normalized<float> L(A, A.degrees({}), 0);
      const EigenPairs<float> pairs = solve_chebyshev(L, options);
      const double sine = testing::largest_sine(dense.vectors.leftCols(k), to_eigen(pairs.vectors));
      const std::string what = fmt::format("{}, n = {}, k = {}, gap = {:.2e}, {} products, {}, sine = {:.2e}", g.name,
                                           g.n, k, gap, pairs.full_products, to_string(pairs.status), sine);
      EXPECT_LE(sine * gap, 1e-5) << what;
      for (int64_t j = 0; j < k; ++j) EXPECT_NEAR(pairs.values[size_t(j)], dense.values[j], 1e-5) << what;
    }
}

TEST(Chebyshev, EndsOnAPathOfAHundredThousandNodesAndSaysWhatItReached) {
  Graph g{"a path", 100000, {}};
  for (int64_t i = 0; i + 1 < g.n; ++i) g.join(i, i + 1, 1);
  const SparseAffinity A(to_sparse(g), RowSpace(g.n, 2));
  const Normalized<float> L(A, A.degrees({}), 0);
  ClusterOptions options;
  options.clusters = 3;
  const EigenPairs<float> pairs = solve_chebyshev(L, options);
  // The gap is about 1e-9: float32 cannot resolve it.
  EXPECT_EQ(pairs.status, Status::unresolved);
  ASSERT_EQ(pairs.residuals.size(), 3u);
  for (const double residual : pairs.residuals) EXPECT_LT(residual, 1e-4);
}

TEST(Chebyshev, FindsTheComponentsWithoutIterating) {
  const Graph g = make_graph(6, 1);
  const SparseAffinity A(to_sparse(g), RowSpace(g.n, 1));
  const Normalized<float> L(A, A.degrees({}), 0);
  ClusterOptions options;
  options.clusters = 3;
  const EigenPairs<float> pairs = solve_chebyshev(L, options);
  EXPECT_EQ(pairs.full_products, 1) << "the certificate";
  for (const double value : pairs.values) EXPECT_NEAR(value, 1, 1e-6);
  for (const double residual : pairs.residuals) EXPECT_LT(residual, 1e-6);
}

TEST(Multilevel, KeepsDegreesAndTheLeadingEigenvalueOnEveryLevel) {
  const Graph g = make_graph(7, 3);
  const SparseMatrix fine = to_sparse(g);
  const CoarseGraph coarse = coarsen(fine, RowSpace(g.n, 1), false, 1, 1);
  EXPECT_LT(coarse.graph.rows(), g.n / 2);
  std::vector<double> sums(static_cast<size_t>(coarse.graph.rows())), coarse_sums(sums);
  for (int64_t i = 0; i < g.n; ++i)
    for (int64_t e = fine.starts[size_t(i)]; e < fine.starts[size_t(i + 1)]; ++e)
      sums[size_t(coarse.aggregate_of[size_t(i)])] += fine.values[size_t(e)];
  for (int64_t a = 0; a < coarse.graph.rows(); ++a)
    for (int64_t e = coarse.graph.starts[size_t(a)]; e < coarse.graph.starts[size_t(a + 1)]; ++e)
      coarse_sums[size_t(a)] += coarse.graph.values[size_t(e)];
  EXPECT_EQ(sums, coarse_sums) << "unit weights: sums are exact";
  EXPECT_NEAR(dense_eigen(coarse.graph).values[0], 1, 1e-12);
}

}  // namespace
}  // namespace mbsc
