// SPDX-License-Identifier: Apache-2.0
// The parts of the Chebyshev solver: its filter, its operators, and the watch on the labels.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "mbsc/affinity/graph/sparse_affinity.h"
#include "mbsc/affinity/graph/weights.h"
#include "mbsc/solvers/chebyshev/label_watch.h"
#include "mbsc/solvers/chebyshev/operator.h"
#include "mbsc/solvers/chebyshev/soft_cutoff.h"
#include "tests/affinity/dense_oracle.h"
#include "tests/oracle/dense_algebra.h"

namespace mbsc {
namespace {

using Eigen::MatrixXd;
using testing::random_matrix;
using testing::to_eigen;

SparseMatrix some_graph(int64_t n) {
  const Matrix<float> X = random_matrix<float>(n, 3, 1);
  const NeighborLists lists = by_point(find_neighbors(Points(X.view()), {.each = 8}));
  return weigh_neighbors(lists, NeighborWeights::gaussian_shared, neighbor_width(lists, RowSpace(lists.size(), 1)),
                         EdgeRule::either, RowSpace(n, 1));
}

TEST(ChebyshevFilter, HasTheGrowthThatItsDegreeAndItsCutPromise) {
  for (const double value : {0.5, 0.99, 0.99999})
    for (const int64_t degree : {4, 12, 100}) {
      const double cut = filter_cut(value, degree, 30);
      EXPECT_LT(cut, value);
      EXPECT_NEAR(filter_growth(value, cut, degree), 30, 1e-6);
      EXPECT_NEAR(double(filter_degree(value, cut, 30, 1, 1000)), double(degree), 1);
    }
  EXPECT_EQ(filter_growth(0.3, 0.4, 50), 1) << "inside of the damped interval";
  EXPECT_EQ(filter_degree(0.3, 0.4, 30, 1, 77), 77);
}

TEST(ChebyshevFilter, IsTheScaledChebyshevPolynomialOfTheMatrix) {
  const int64_t n = 300, degree = 9;
  const double cut = 0.7, center = (cut - 1) / 2, half = (cut + 1) / 2;
  const SparseAffinity A(some_graph(n), RowSpace(n, 1));
  for (const double regularization : {0.0, 0.1}) {
    const Normalized<float> L(A, A.degrees({}), regularization);
    MatrixXd dense(n, n);
    {
      Matrix<float> unit(n, n), image(n, n);
      for (int64_t i = 0; i < n; ++i) unit(i, i) = 1;
      L.multiply(unit, image, {});
      dense = to_eigen(image);
    }
    const testing::DenseEigen eigen = testing::dense_eigen((dense + dense.transpose()) / 2);
    const auto polynomial = [&](double x) {
      const double t = (x - center) / half, top = (1 - center) / half;
      const double value =
          std::abs(t) <= 1 ? std::cos(double(degree) * std::acos(t))
                           : std::cosh(double(degree) * std::acosh(std::abs(t))) * (t < 0 && degree % 2 == 1 ? -1 : 1);
      return value / std::cosh(double(degree) * std::acosh(top));
    };
    const Matrix<float> V = random_matrix<float>(n, 5, 2);
    const MatrixXd expected =
        eigen.vectors * eigen.values.unaryExpr(polynomial).asDiagonal() * (eigen.vectors.transpose() * to_eigen(V));
    Matrix<float> W = V;
    NormalizedOperator<float>(L, {}).filter(cut, degree, W);
    EXPECT_LT((to_eigen(W) - expected).norm(), 1e-5 * expected.norm());
    W = V;
    const GraphOperator graph(*L.edges(), L.degrees(), L.regularization_added(), RowSpace(n, 2), {});
    graph.filter(cut, degree, W);
    EXPECT_LT((to_eigen(W) - expected).norm(), 1e-5 * expected.norm());
    Matrix<float> image(n, 5);
    graph.multiply(V, image);
    EXPECT_LT((to_eigen(image) - dense * to_eigen(V)).norm(), 1e-5 * to_eigen(V).norm());
  }
}

TEST(SoftCutoff, WeightsFallWithTheEigenvalueAndAreOneHalfAtTheKth) {
  const std::vector<double> values{1, 0.999, 0.998, 0.996, 0.98, 0.5};
  const std::vector<double> weights = soft_weights(values, 3);
  ASSERT_EQ(weights.size(), 4u) << "the fifth has the weight 0.0001";
  EXPECT_EQ(weights[0], weights[1]) << "the first vector tells nothing about clusters";
  EXPECT_NEAR(weights[1], 16.0 / 17, 1e-9);
  EXPECT_NEAR(weights[2], 0.5, 1e-12);
  EXPECT_NEAR(weights[3], 1.0 / 17, 1e-9);
}

TEST(SoftCutoff, KeepsTheLeadingVectorsAndIgnoresDifferencesThatAreRoundingErrors) {
  EXPECT_EQ(soft_weights(std::vector<double>{1 - 1e-9, 1 + 1e-9, 1 - 5e-8}, 2), std::vector<double>(3, 0.5));
  EXPECT_EQ(soft_weights(std::vector<double>{0.9, 0.2}, 1).size(), 1u) << "a wide gap: sharp";
  EXPECT_EQ(soft_weights(std::vector<double>{1, 0.9, 0.1}, 3).size(), 3u);
}

/// Rows around `groups` corners of a simplex, in a random order of the columns' signs.
Matrix<float> rows_of_groups(int64_t n, int64_t groups, int64_t moved, float sign) {
  Matrix<float> rows = random_matrix<float>(n, groups, 3);
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < groups; ++j) rows(i, j) *= 0.05F;
    rows(i, (i < moved ? i + 1 : i) % groups) += sign;
  }
  return rows;
}

TEST(LabelWatch, TellsTheShareOfRowsThatChangeTheirGroup) {
  const int64_t n = 3000;
  ClusterOptions options;
  options.clusters = 3;
  const std::vector<float> roots(size_t(n), 1);
  LabelWatch watch(RowSpace(n, 1), roots, options);
  EXPECT_EQ(watch.update<float>(rows_of_groups(n, 3, 0, 1).view()), 1) << "nothing to compare with";
  EXPECT_EQ(watch.update<float>(rows_of_groups(n, 3, 0, 1).view()), 0);
  EXPECT_EQ(watch.update<float>(rows_of_groups(n, 3, 0, -1).view()), 0) << "signs of eigenvectors do not matter";
  EXPECT_NEAR(watch.update<float>(rows_of_groups(n, 3, 300, 1).view()), 0.1, 1e-9);
}

TEST(LabelWatch, IgnoresIsolatedRows) {
  const int64_t n = 1000;
  ClusterOptions options;
  options.clusters = 3;
  std::vector<float> roots(size_t(n), 1);
  std::fill_n(roots.begin(), 100, 0.0F);
  LabelWatch watch(RowSpace(n, 1), roots, options);
  watch.update<float>(rows_of_groups(n, 3, 0, 1).view());
  EXPECT_EQ(watch.update<float>(rows_of_groups(n, 3, 100, 1).view()), 0);
}

}  // namespace
}  // namespace mbsc
