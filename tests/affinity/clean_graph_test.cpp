// SPDX-License-Identifier: Apache-2.0
// The rules for the entries of a given graph, against the same rules on a dense matrix.
#include "mbsc/affinity/graph/clean_graph.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <random>

#include "mbsc/base/require.h"

namespace mbsc {
namespace {

/// A graph, and the arrays that it views.
struct Stored {
  std::vector<int64_t> starts;
  std::vector<int32_t> columns;
  std::vector<double> values;
  Graph graph() const {
    Graph view;
    view.nodes = int64_t(starts.size()) - 1;
    view.starts = starts;
    view.columns = columns;
    view.values = values.data();
    return view;
  }
};

/// A random graph: unsorted, with loops, zeros and several entries at the same place. If `is_symmetric`, each entry has
/// a partner.
Stored random_graph(int64_t n, int64_t entries, bool is_symmetric, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::vector<std::pair<int32_t, double>>> rows{static_cast<size_t>(n)};
  for (int64_t e = 0; e < entries; ++e) {
    const auto i = int32_t(random() % unsigned(n)), j = int32_t(random() % unsigned(n));
    const double weight = double(random() % 5) / 4;  // sums are exact
    rows[size_t(i)].emplace_back(j, weight);
    if (is_symmetric && i != j) rows[size_t(j)].emplace_back(i, weight);
  }
  Stored stored;
  stored.starts.push_back(0);
  for (const auto& row : rows) {
    for (const auto& [column, weight] : row) {
      stored.columns.push_back(column);
      stored.values.push_back(weight);
    }
    stored.starts.push_back(int64_t(stored.columns.size()));
  }
  return stored;
}

Matrix<double> dense(const Graph& graph) {
  Matrix<double> A(graph.nodes, graph.nodes);
  for (int64_t i = 0; i < graph.nodes; ++i)
    for (int64_t e = graph.starts[size_t(i)]; e < graph.starts[size_t(i + 1)]; ++e)
      if (graph.columns[size_t(e)] != i) A(i, graph.columns[size_t(e)]) += graph.value(e);
  return A;
}

/// Checks that the rows are sorted and have no zero, and that the matrix is `expected`.
void expect_matrix(const SparseMatrix& matrix, const std::function<double(int64_t, int64_t)>& expected) {
  const int64_t n = matrix.rows();
  Matrix<double> found(n, n);
  for (int64_t i = 0; i < n; ++i)
    for (int64_t e = matrix.starts[size_t(i)]; e < matrix.starts[size_t(i + 1)]; ++e) {
      if (e > matrix.starts[size_t(i)]) {
        EXPECT_LT(matrix.columns[size_t(e - 1)], matrix.columns[size_t(e)]);
      }
      EXPECT_GT(matrix.values[size_t(e)], 0);
      found(i, matrix.columns[size_t(e)]) = matrix.values[size_t(e)];
    }
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j) EXPECT_EQ(found(i, j), expected(i, j)) << i << ", " << j;
}

std::string error_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "";
}

TEST(CleanGraph, EntriesAreSortedAndAddedAndLoopsAreCounted) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    const Stored stored = random_graph(40, 300, true, seed);
    const Graph graph = stored.graph();
    const RowSpace rows(graph.nodes, 3);
    const CleanGraph clean = clean_graph(graph, rows);
    int64_t loops = 0;
    for (int64_t i = 0; i < graph.nodes; ++i)
      for (int64_t e = graph.starts[size_t(i)]; e < graph.starts[size_t(i + 1)]; ++e)
        loops += graph.columns[size_t(e)] == i && graph.value(e) > 0;
    EXPECT_EQ(clean.loops, loops);
    const Matrix<double> A = dense(graph);
    expect_matrix(make_symmetric(clean, std::nullopt, rows), [&](int64_t i, int64_t j) { return A(i, j); });
  }
}

TEST(CleanGraph, SymmetrizeIsMeanMaxOrMutual) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    const Stored stored = random_graph(30, 250, false, seed);
    const RowSpace rows(30, 2);
    const CleanGraph clean = clean_graph(stored.graph(), rows);
    const Matrix<double> A = dense(stored.graph());
    expect_matrix(make_symmetric(clean, Symmetrize::mean, rows),
                  [&](int64_t i, int64_t j) { return (A(i, j) + A(j, i)) / 2; });
    expect_matrix(make_symmetric(clean, Symmetrize::max, rows),
                  [&](int64_t i, int64_t j) { return std::max(A(i, j), A(j, i)); });
    expect_matrix(make_symmetric(clean, Symmetrize::mutual, rows),
                  [&](int64_t i, int64_t j) { return A(i, j) > 0 && A(j, i) > 0 ? (A(i, j) + A(j, i)) / 2 : 0; });
    EXPECT_THROW(make_symmetric(clean, std::nullopt, rows), AsymmetricGraph);
  }
}

TEST(CleanGraph, TheFirstAsymmetricEntryIsNamedAsTheCallerStoredIt) {
  const Stored stored{{0, 1, 3, 4}, {1, 0, 2, 1}, {1, 1, 5, 4}};
  Graph graph = stored.graph();
  const RowSpace rows(3, 1);
  for (const bool by_column : {false, true}) {
    graph.by_column = by_column;
    try {
      make_symmetric(clean_graph(graph, rows), std::nullopt, rows);
      FAIL() << "not refused";
    } catch (const AsymmetricGraph& error) {
      EXPECT_EQ(error.row, by_column ? 2 : 1);
      EXPECT_EQ(error.column, by_column ? 1 : 2);
      const std::string place = by_column ? "the weight at (3, 2) is 5" : "the weight at (2, 3) is 5";
      EXPECT_NE(std::string(error.what()).find(place), std::string::npos) << error.what();
    }
  }
}

TEST(CleanGraph, RoundingErrorsAreNoAsymmetryAndTheResultIsSymmetricToTheBit) {
  const Stored stored{{0, 1, 2}, {1, 0}, {1, 1 + 4e-6}};
  const RowSpace rows(2, 1);
  const SparseMatrix matrix = make_symmetric(clean_graph(stored.graph(), rows), std::nullopt, rows);
  EXPECT_EQ(matrix.values[0], matrix.values[1]);
  EXPECT_FLOAT_EQ(matrix.values[0], float(1 + 2e-6));
}

TEST(CleanGraph, WeightsAreLimitedToTheRangeOfFloat32) {
  const Stored stored{{0, 2, 3, 4}, {1, 2, 0, 0}, {1e-200, 1e200, 1e-200, 1e200}};
  const RowSpace rows(3, 1);
  const SparseMatrix matrix = make_symmetric(clean_graph(stored.graph(), rows), std::nullopt, rows);
  EXPECT_EQ(matrix.values, (std::vector<float>{1e-30F, 1e30F, 1e-30F, 1e30F}));
}

TEST(CleanGraph, ABadArrayIsRefused) {
  const auto error = [](Stored stored, int64_t nodes) {
    Graph graph = stored.graph();
    graph.nodes = nodes;
    return error_of([&] { clean_graph(graph, RowSpace(nodes, 1)); });
  };
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(error({{0, 1, 2}, {1, 0}, {1, 1}}, 2), "");
  EXPECT_NE(error({{0, 1, 2}, {1, 0}, {1, 1}}, 3), "");
  EXPECT_NE(error({{0, 2, 1, 2}, {1, 0}, {1, 1}}, 3).find("descend"), std::string::npos);
  EXPECT_NE(error({{1, 1, 2}, {1, 0}, {1, 1}}, 2).find("must be 0"), std::string::npos);
  EXPECT_NE(error({{0, 1, 3}, {1, 0}, {1, 1}}, 2).find("number of entries, 2; got 3"), std::string::npos);
  EXPECT_NE(error({{0, 1, 2}, {1, 2}, {1, 1}}, 2).find("in [0, 1]"), std::string::npos);
  EXPECT_NE(error({{0, 1, 2}, {-1, 0}, {1, 1}}, 2).find("in [0, 1]"), std::string::npos);
  for (const double weight : {-1.0, nan, infinity})
    EXPECT_NE(error({{0, 1, 2}, {1, 0}, {1, weight}}, 2).find("the weight at (2, 1) is "), std::string::npos);
}

TEST(CleanGraph, AGraphWithoutValuesHasWeightsOfOne) {
  const Stored stored{{0, 1, 2}, {1, 0}, {}};
  Graph graph = stored.graph();
  graph.values = nullptr;
  const RowSpace rows(2, 1);
  EXPECT_EQ(make_symmetric(clean_graph(graph, rows), std::nullopt, rows).values, (std::vector<float>{1, 1}));
}

}  // namespace
}  // namespace mbsc
