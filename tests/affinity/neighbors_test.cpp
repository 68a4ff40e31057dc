// SPDX-License-Identifier: Apache-2.0
#include "mbsc/affinity/graph/neighbors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "mbsc/affinity/kernel/kernel_affinity.h"
#include "mbsc/affinity/matrix/matrix_affinity.h"
#include "tests/affinity/dense_oracle.h"

namespace mbsc {
namespace {

using testing::dense_affinity;
using testing::random_matrix;

template <class T>
class NeighborsOf : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(NeighborsOf, Scalars);

/// The edges, in both directions, of the graph of the t largest positive entries of each row of a dense matrix.
std::set<std::pair<int64_t, int64_t>> edges_of(const Eigen::MatrixXd& A, int64_t t) {
  std::set<std::pair<int64_t, int64_t>> edges;
  for (int64_t i = 0; i < A.rows(); ++i) {
    std::vector<int64_t> order;
    for (int64_t j = 0; j < A.cols(); ++j)
      if (A(i, j) > 0) order.push_back(j);
    std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return A(i, a) > A(i, b); });
    for (size_t e = 0; e < std::min(order.size(), size_t(t)); ++e) {
      edges.insert({i, order[e]});
      edges.insert({order[e], i});
    }
  }
  return edges;
}

TYPED_TEST(NeighborsOf, AreTheLargestEntriesOfEachRowAndOfEachColumn) {
  using T = TypeParam;
  for (const int64_t n : {2, 5, 65, 700})
    for (const int64_t t : {1, 3, 16}) {
      const Matrix<T> X = random_matrix<T>(n, 3, 1);
      const Kernel kernel{KernelKind::rbf, 0.7};
      const KernelAffinity<T> A(Points(X.view()), kernel, RowSpace(n, 2));
      const Degrees degrees = A.degrees({}, {}, t);
      ASSERT_TRUE(degrees.graph);
      const NeighborGraph& graph = *degrees.graph;
      ASSERT_EQ(graph.rows(), n);
      const Eigen::MatrixXd dense = dense_affinity(Points(X.view()), kernel);
      const auto expected = edges_of(dense, t);
      std::set<std::pair<int64_t, int64_t>> found;
      for (int64_t i = 0; i < n; ++i)
        for (int64_t e = graph.starts[size_t(i)]; e < graph.starts[size_t(i + 1)]; ++e) {
          const int64_t j = graph.columns[size_t(e)];
          EXPECT_NE(i, j);
          EXPECT_TRUE(e == graph.starts[size_t(i)] || graph.columns[size_t(e - 1)] < j) << "ascending";
          EXPECT_NEAR(double(graph.values[size_t(e)]), dense(i, j), 1e-5);
          found.insert({i, j});
        }
      std::vector<std::pair<int64_t, int64_t>> differ;
      std::set_symmetric_difference(found.begin(), found.end(), expected.begin(), expected.end(),
                                    std::back_inserter(differ));
      // Two entries may be equal in float although they differ in double.
      EXPECT_LE(differ.size(), sizeof(T) == 4 ? size_t(n / 100) : 0u) << n << " points, " << t << " each";
    }
}

TYPED_TEST(NeighborsOf, DoNotChangeTheDegreesAndDoNotDependOnThreads) {
  using T = TypeParam;
  const int64_t n = 2500;
  const Matrix<T> X = random_matrix<T>(n, 2, 1);
  const Kernel kernel{KernelKind::rbf, 5.0};
  const Points points(X.view());
  const KernelAffinity<T> one(points, kernel, RowSpace(n, 1)), three(points, kernel, RowSpace(n, 3));
  const Degrees plain = one.degrees({}), a = one.degrees({}, {}, 16), b = three.degrees({}, {}, 16);
  EXPECT_FALSE(plain.graph);
  EXPECT_EQ(plain.sum, a.sum);
  EXPECT_EQ(plain.squares, a.squares);
  EXPECT_EQ(a.graph->starts, b.graph->starts);
  EXPECT_EQ(a.graph->columns, b.graph->columns);
  EXPECT_EQ(a.graph->values, b.graph->values);
}

TYPED_TEST(NeighborsOf, AreTheSameForAPrecomputedMatrix) {
  using T = TypeParam;
  const int64_t n = 150;
  const Matrix<T> X = random_matrix<T>(n, 3, 1);
  const KernelAffinity<T> kernel(Points(X.view()), {KernelKind::rbf, 0.7}, RowSpace(n, 2));
  std::vector<int64_t> all(n);
  for (int64_t i = 0; i < n; ++i) all[size_t(i)] = i;
  Matrix<T> stored(n, n);
  kernel.evaluate({0, n}, all, stored);
  const MatrixAffinity<T> matrix(Points(stored.view()), RowSpace(n, 2));
  const Degrees a = kernel.degrees({}, {}, 8), b = matrix.degrees({}, {}, 8);
  EXPECT_EQ(a.graph->starts, b.graph->starts);
  EXPECT_EQ(a.graph->columns, b.graph->columns);
  EXPECT_EQ(a.graph->values, b.graph->values);
}

TEST(Neighbors, AmongEqualValuesTheSmallerColumnWinsAndZerosAreNoNeighbors) {
  LargestEntries<float> entries(6, 2);
  for (const int64_t j : {5, 3, 4, 1})
    entries.offer(0, j, 0.5f);  // the buffer has room for four; the two smallest columns remain
  EXPECT_EQ(entries.least()[0], 0.5f);
  entries.offer(0, 2, 0.5f);  // not above the threshold
  entries.offer(1, 2, 0.0f);
  EXPECT_EQ(entries.least()[1], 0);
  EXPECT_TRUE(std::isinf(entries.least()[6])) << "padding";
  const NeighborGraph graph = entries.graph(RowSpace(6, 1));
  EXPECT_EQ(graph.starts, (std::vector<int64_t>{0, 2, 3, 3, 4, 4, 4}));
  EXPECT_EQ(graph.columns, (std::vector<int32_t>{1, 3, 0, 0}));
}

}  // namespace
}  // namespace mbsc
