// SPDX-License-Identifier: Apache-2.0
#include "mbsc/affinity/graph/neighbor_graph.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <set>

#include "mbsc/affinity/graph/components.h"
#include "mbsc/affinity/graph/weights.h"
#include "tests/affinity/dense_oracle.h"

namespace mbsc {
namespace {

using Eigen::MatrixXd;
using testing::random_matrix;
using testing::to_eigen;

MatrixXd to_dense(const SparseMatrix& graph) {
  MatrixXd A = MatrixXd::Zero(graph.rows(), graph.rows());
  for (int64_t i = 0; i < graph.rows(); ++i)
    for (int64_t e = graph.starts[size_t(i)]; e < graph.starts[size_t(i + 1)]; ++e)
      A(i, graph.columns[size_t(e)]) = graph.values[size_t(e)];
  return A;
}

SparseMatrix to_sparse(const MatrixXd& A) {
  SparseMatrix graph;
  graph.starts.push_back(0);
  for (int64_t i = 0; i < A.rows(); ++i) {
    for (int64_t j = 0; j < A.cols(); ++j)
      if (A(i, j) != 0) {
        graph.columns.push_back(int32_t(j));
        graph.values.push_back(float(A(i, j)));
      }
    graph.starts.push_back(int64_t(graph.columns.size()));
  }
  return graph;
}

/// The fuzzy weights of a list. sigma grows in steps of 5 %, then of 0.01 %, until their sum is log2(m).
std::vector<double> plain_fuzzy(std::span<const NearPoint> list) {
  std::vector<double> distances, weights(list.size());
  for (const NearPoint& near : list) distances.push_back(std::sqrt(double(near.distance)));
  const auto is_reached = [&](double sigma) {
    for (size_t e = 0; e < list.size(); ++e) weights[e] = std::exp(-std::max(0.0, distances[e] - distances[0]) / sigma);
    return std::accumulate(weights.begin(), weights.end(), 0.0) >= std::log2(double(list.size()));
  };
  double sigma = 1e-3 * std::accumulate(distances.begin(), distances.end(), 0.0) / double(list.size());
  for (const double factor : {1.05, 1.0001})
    while (!is_reached(sigma * factor)) sigma *= factor;
  return weights;
}

/// The directed weights, computed from their definition.
MatrixXd directed_weights(const NeighborLists& lists, NeighborWeights kind) {
  const int64_t n = lists.size();
  double sum = 0, count = 0;
  for (const NearPoint& near : lists.points)
    if (near.distance > 0) sum += std::sqrt(near.distance), ++count;
  const double s = sum / count;
  const auto set_of = [&](int64_t i) {
    std::set<int32_t> set{int32_t(i)};
    for (const NearPoint& near : lists.of(i)) set.insert(near.point);
    return set;
  };
  const auto local = [&](int64_t i) { return std::sqrt(double(lists.of(i)[6].distance)); };
  MatrixXd W = MatrixXd::Zero(n, n);
  for (int64_t i = 0; i < n; ++i)
    for (const NearPoint& near : lists.of(i)) {
      const int32_t j = near.point;
      std::set<int32_t> both = set_of(i);
      both.merge(set_of(j));
      // With the neighbor sets P and Q: |P and Q| / |P or Q|, since |P| + |Q| = |P or Q| + |P and Q|.
      const double shared = double(2 * (lists.each + 1)) / double(both.size()) - 1;
      const double gaussian = std::exp(-near.distance / (2 * s * s));
      if (kind == NeighborWeights::binary) W(i, j) = 1;
      if (kind == NeighborWeights::gaussian) W(i, j) = gaussian;
      if (kind == NeighborWeights::shared) W(i, j) = shared;
      if (kind == NeighborWeights::gaussian_shared) W(i, j) = gaussian * shared;
      if (kind == NeighborWeights::local) W(i, j) = std::exp(-near.distance / (local(i) * local(j)));
    }
  for (int64_t i = 0; i < n && kind == NeighborWeights::fuzzy; ++i) {
    const std::vector<double> weights = plain_fuzzy(lists.of(i));
    for (size_t e = 0; e < weights.size(); ++e) W(i, lists.of(i)[e].point) = weights[e];
  }
  return W;
}

/// The symmetric weights, computed from their definition.
MatrixXd plain_weights(const NeighborLists& lists, NeighborWeights kind) {
  const MatrixXd W = directed_weights(lists, kind);
  return (W + W.transpose()) / 2;
}

constexpr NeighborWeights all_weights[] = {NeighborWeights::binary, NeighborWeights::gaussian,
                                           NeighborWeights::shared, NeighborWeights::gaussian_shared,
                                           NeighborWeights::local,  NeighborWeights::fuzzy};
/// sigma of plain_fuzzy() is exact to 0.01 %, so its weights are exact to 1e-4.
double tolerance_of(NeighborWeights kind) { return kind == NeighborWeights::fuzzy ? 1e-4 : 1e-6; }

TEST(NeighborWeights, AreThoseOfTheirDefinition) {
  const Matrix<float> X = random_matrix<float>(500, 3, 1);
  const NeighborLists lists = by_point(find_neighbors(Points(X.view()), {.each = 9}));
  for (const auto kind : all_weights) {
    const SparseMatrix graph = weigh_neighbors(lists, kind, neighbor_width(lists, RowSpace(lists.size(), 1)),
                                               EdgeRule::either, RowSpace(500, 2));
    const MatrixXd A = to_dense(graph);
    EXPECT_LT((A - plain_weights(lists, kind)).cwiseAbs().maxCoeff(), tolerance_of(kind)) << int(kind);
    EXPECT_EQ(A, A.transpose()) << "symmetric to the bit";
    EXPECT_EQ(A.diagonal().norm(), 0);
  }
}

TEST(NeighborWeights, OfMutualNeighborsAreThoseInBothLists) {
  const Matrix<float> X = random_matrix<float>(300, 2, 2);
  const NeighborLists lists = by_point(find_neighbors(Points(X.view()), {.each = 9}));
  const double width = neighbor_width(lists, RowSpace(lists.size(), 1));
  for (const auto kind : all_weights) {
    const MatrixXd A = to_dense(weigh_neighbors(lists, kind, width, EdgeRule::mutual, RowSpace(300, 2)));
    MatrixXd expected = directed_weights(lists, kind);
    for (int64_t i = 0; i < 300; ++i)
      for (int64_t j = 0; j <= i; ++j) {
        const bool is_mutual = expected(i, j) > 0 && expected(j, i) > 0;
        expected(i, j) = expected(j, i) = is_mutual ? (expected(i, j) + expected(j, i)) / 2 : 0;
      }
    EXPECT_LT((A - expected).cwiseAbs().maxCoeff(), tolerance_of(kind)) << int(kind);
    EXPECT_EQ(A, A.transpose());
  }
}

TEST(NeighborWeights, OfFuzzyListsAddUpToTheLogarithmOfTheirLength) {
  const Matrix<float> X = random_matrix<float>(400, 3, 2);
  for (const int64_t m : {10, 30}) {  // so long that no near tie makes the sum too large for the least sigma
    const NeighborLists lists = find_neighbors(Points(X.view()), {.each = m});
    for (int64_t i = 0; i < 400; ++i) {
      const FuzzyScale scale = fuzzy_scale(lists.of(i));
      double sum = 0;
      for (const NearPoint& near : lists.of(i)) sum += fuzzy_weight(near.distance, scale);
      EXPECT_NEAR(sum, std::log2(double(m)), 1e-9);
      EXPECT_EQ(fuzzy_weight(lists.of(i)[0].distance, scale), 1);
    }
  }
}

TEST(NeighborWeights, OfFuzzyListsWithTiesAreFinite) {
  // One point; two points, whose sum log2(2) = 1 the nearest one has alone; equal distances; equal points.
  const auto check = [](std::vector<NearPoint> list, double last) {
    const FuzzyScale scale = fuzzy_scale(list);
    EXPECT_EQ(fuzzy_weight(list[0].distance, scale), 1);
    EXPECT_NEAR(fuzzy_weight(list.back().distance, scale), last, 1e-12);
  };
  check({{4, 1}}, 1);
  check({{1, 1}, {4, 2}}, 0);
  check({{4, 1}, {4, 2}, {4, 3}}, 1);
  check({{0, 1}, {0, 2}, {0, 3}}, 1);
  // rho = 3 is the smallest positive distance, so three of the weights are 1, and log2(4) = 2 is exceeded.
  check({{0, 1}, {0, 2}, {9, 3}, {16, 4}}, 0);
}

TEST(NeighborWeights, KeepAnOutlierConnected) {
  Matrix<float> X = random_matrix<float>(400, 2, 3);
  X(0, 0) = 1e9F;
  const NeighborLists lists = by_point(find_neighbors(Points(X.view()), {.each = 10}));
  const SparseMatrix graph = weigh_neighbors(lists, NeighborWeights::gaussian, 0.1, EdgeRule::either, RowSpace(400, 1));
  EXPECT_GT(graph.starts[1], 0) << "its nearest neighbor keeps a positive weight";
}

TEST(Components, AreNumberedBySize) {
  MatrixXd A = MatrixXd::Zero(9, 9);
  const auto join = [&](int i, int j) { A(i, j) = A(j, i) = 0.5; };
  join(0, 3);
  join(1, 2);
  join(2, 4);
  join(4, 8);
  join(5, 6);
  SparseMatrix graph = to_sparse(A);
  const Components components = find_components(graph);
  EXPECT_EQ(components.sizes, (std::vector<int64_t>{4, 2, 2, 1}));
  EXPECT_EQ(components.of, (std::vector<int32_t>{1, 0, 0, 1, 0, 2, 2, 3, 0}));
  EXPECT_EQ(isolate_small(components, 2, 2, graph), 3) << "the third component and the single point";
  A(5, 6) = A(6, 5) = 0;
  EXPECT_EQ(to_dense(graph), A);
}

TEST(SparseAffinity, MultipliesLikeItsDenseMatrix) {
  const int64_t n = 700;
  const Matrix<float> X = random_matrix<float>(n, 4, 4);
  const NeighborLists lists = by_point(find_neighbors(Points(X.view()), {.each = 8}));
  for (const int threads : {1, 3}) {
    const RowSpace rows(n, threads);
    const SparseAffinity affinity(weigh_neighbors(lists, NeighborWeights::gaussian_shared, 1, EdgeRule::either, rows),
                                  rows);
    const MatrixXd A = to_dense(*affinity.edges());
    for (const int64_t c : {1, 7, 8, 33, 50}) {
      const Matrix<float> V = random_matrix<float>(n, c, 5);
      Matrix<float> out(n, c);
      affinity.multiply(V, out, {});
      EXPECT_LT((to_eigen(out) - A * to_eigen(V)).cwiseAbs().maxCoeff(), 1e-5);
    }
    const std::vector<int64_t> columns{0, 5, 64, 699};
    const Matrix<float> C = random_matrix<float>(4, 3, 6);
    Matrix<float> out(n, 3), block(100, 4);
    affinity.multiply_columns(columns, C, out, {});
    affinity.evaluate({50, 150}, columns, block);
    MatrixXd some(n, 4);
    for (int j = 0; j < 4; ++j) some.col(j) = A.col(columns[size_t(j)]);
    EXPECT_LT((to_eigen(out) - some * to_eigen(C)).cwiseAbs().maxCoeff(), 1e-5);
    EXPECT_EQ(to_eigen(block), MatrixXd(some.middleRows(50, 100)));
    const Degrees degrees = affinity.degrees({});
    for (int64_t i = 0; i < n; ++i) EXPECT_NEAR(degrees.sum[size_t(i)], A.row(i).sum(), 1e-9);
  }
}

TEST(SparseAffinity, IsTheSameForAnyOrderOfItsPlaces) {
  const int64_t n = 500;
  const Matrix<float> X = random_matrix<float>(n, 3, 7);
  const RowSpace rows(n, 2);
  const NeighborLists lists = by_point(find_neighbors(Points(X.view()), {.each = 8}));
  const MatrixXd A = to_dense(weigh_neighbors(lists, NeighborWeights::gaussian, 1, EdgeRule::either, rows));
  std::vector<int32_t> order(static_cast<size_t>(n));
  for (int64_t place = 0; place < n; ++place) order[size_t(place)] = int32_t(place * 77 % n);
  MatrixXd placed(n, n);
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j) placed(i, j) = A(order[size_t(i)], order[size_t(j)]);
  const SparseAffinity affinity(to_sparse(placed), rows, order);
  const Matrix<float> V = random_matrix<float>(n, 6, 8);
  Matrix<float> out(n, 6), block(80, 3);
  affinity.multiply(V, out, {});
  EXPECT_LT((to_eigen(out) - A * to_eigen(V)).cwiseAbs().maxCoeff(), 1e-5);
  const std::vector<int64_t> columns{3, 100, 499};
  affinity.evaluate({20, 100}, columns, block);
  for (int64_t j = 0; j < 3; ++j) EXPECT_EQ(to_eigen(block).col(j), A.col(columns[size_t(j)]).segment(20, 80));
  const Degrees degrees = affinity.degrees({});
  for (int64_t i = 0; i < n; ++i) EXPECT_NEAR(degrees.sum[size_t(i)], A.row(i).sum(), 1e-6);
}

Plan plan_for(int64_t n, int64_t k) {
  Plan plan;
  plan.n = n;
  plan.options.clusters = k;
  plan.options.affinity = AffinityKind::neighbors;
  plan.options.edge_width = automatic_edge_width(n, 2);
  return plan;
}

TEST(NeighborGraph, DoesNotBridgeClustersThatAreTrulySeparate) {
  const int64_t n = 3000;
  Matrix<float> X = random_matrix<float>(n, 2, 7);
  for (int64_t i = 0; i < n; ++i) X(i, 0) += 1000.0F * float(i % 5);
  Plan plan = plan_for(n, 5);
  make_neighbor_graph(Points(X.view()), RowSpace(n, 2), plan);
  EXPECT_EQ(plan.graph->components, 5);
  EXPECT_EQ(plan.options.neighbors, automatic_neighbors(n, 2));
  EXPECT_EQ(plan.graph->speck_points, 0);
  EXPECT_EQ(plan.options.regularization, 0) << "the components are the clusters";
  plan = plan_for(n, 6);
  make_neighbor_graph(Points(X.view()), RowSpace(n, 2), plan);
  EXPECT_EQ(plan.options.regularization, 1e-4);
  const Matrix<float> many = random_matrix<float>(40000, 2, 8);
  plan = plan_for(40000, 2);
  make_neighbor_graph(Points(many.view()), RowSpace(40000, 2), plan);
  EXPECT_EQ(plan.options.regularization, 1.0 / 40000) << "1/n above 10,000 points";
}

TEST(NeighborGraph, TakesMoreNeighborsIfItFallsIntoSmallPieces) {
  // 200 groups of 12 points along a line. With 14 neighbors each group is joined to the next; with 10 it is not.
  const int64_t n = 2400;
  Matrix<float> X = random_matrix<float>(n, 2, 8);
  for (int64_t i = 0; i < n; ++i) X(i, 0) += 30.0F * float(i / 12);
  Plan plan = plan_for(n, 2);
  plan.options.neighbors = 10;
  make_neighbor_graph(Points(X.view()), RowSpace(n, 1), plan);
  EXPECT_EQ(plan.graph->components, 200);
  EXPECT_EQ(plan.options.neighbors, 10) << "a given number is not changed";
  plan = plan_for(n, 2);
  make_neighbor_graph(Points(X.view()), RowSpace(n, 1), plan);
  EXPECT_EQ(plan.graph->components, 1);
}

TEST(NeighborGraph, IsolatesSpecks) {
  const int64_t n = 4000;
  Matrix<float> X = random_matrix<float>(n, 2, 9);
  for (int64_t i = 0; i < 30; ++i) X(i, 1) += 1e6F;  // specks have fewer than n / (50 k) = 40 points
  Plan plan = plan_for(n, 2);
  const auto affinity = make_neighbor_graph(Points(X.view()), RowSpace(n, 1), plan);
  EXPECT_EQ(plan.graph->components, 2);
  EXPECT_EQ(plan.graph->speck_points, 30);
  EXPECT_EQ(affinity->edges()->starts[30], 0);
}

}  // namespace
}  // namespace mbsc
