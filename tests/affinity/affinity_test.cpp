// SPDX-License-Identifier: Apache-2.0
// The defaults of Affinity, for a subclass that implements only the three pure virtual functions.
#include "mbsc/affinity/affinity.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>

#include "mbsc/affinity/normalized.h"
#include "mbsc/base/random.h"
#include "tests/linalg/layouts.h"

namespace mbsc {
namespace {

constexpr int64_t n = 300;  // five blocks of rows, the last one not full; five blocks of columns

/// Entry (i, j) of a symmetric random matrix: 0 on the diagonal, elsewhere 0 with probability 0.3, else in [0.3, 1).
template <class T>
T entry(int64_t i, int64_t j) {
  static const Random random(1, Stream::test);
  const double u = random.uniform(uint64_t(std::min(i, j)), uint64_t(std::max(i, j)));
  return i == j || u < 0.3 ? T{} : T(u);
}

template <class T>
class MinimalAffinity final : public Affinity<T> {
 public:
  explicit MinimalAffinity(const RowSpace& rows) : Affinity<T>(rows), first_(rows.own_rows().begin) {}

  void multiply_columns(std::span<const int64_t> columns, MatrixView<const T> C, MatrixView<T> out,
                        const StopToken& stop) const override {
    for (int64_t i = 0; i < out.rows; ++i)
      for (int64_t c = 0; c < out.cols; ++c) {
        out(i, c) = 0;
        for (size_t j = 0; j < columns.size(); ++j) out(i, c) += entry<T>(first_ + i, columns[j]) * C(int64_t(j), c);
      }
    this->throw_if_stopped(stop);
  }
  void multiply(MatrixView<const T> V, MatrixView<T> out, const StopToken& stop) const override {
    std::vector<T> mine;
    for (int64_t i = 0; i < V.rows; ++i) mine.insert(mine.end(), V.row(i), V.row(i) + V.cols);
    const std::vector<T> all = this->rows().comm().template gather<T>(mine);
    std::vector<int64_t> columns(static_cast<size_t>(this->n()));
    std::iota(columns.begin(), columns.end(), int64_t{0});
    multiply_columns(columns, {all.data(), this->n(), V.cols}, out, stop);
  }
  std::unique_ptr<const ColumnBlock<T>> take_columns(std::span<const int64_t> columns) const override {
    EXPECT_TRUE(std::is_sorted(columns.begin(), columns.end())) << "lists of columns are ascending";
    class Block final : public ColumnBlock<T> {
     public:
      Block(std::span<const int64_t> indices, int64_t first) : ColumnBlock<T>(indices), first_(first) {}
      void evaluate(Range rows, MatrixView<T> out) const override {
        for (int64_t i = 0; i < rows.size(); ++i)
          for (size_t j = 0; j < this->indices().size(); ++j)
            out(i, int64_t(j)) = entry<T>(first_ + rows.begin + i, this->indices()[j]);
      }

     private:
      int64_t first_;
    };
    return std::make_unique<Block>(columns, first_);
  }

 private:
  int64_t first_;
};

template <class T>
class MinimalAffinityOf : public ::testing::Test {
 public:
  /// The rounding error of a sum in double: n additions of numbers below n.
  static constexpr double bound = double(n) * double(n) * std::numeric_limits<double>::epsilon();

  /// Runs check(affinity) on 1, 2 and 3 threads, on 2 and 3 ranks, and on more ranks than there are blocks.
  template <class Check>
  static void for_every_layout(const Check& check) {
    for (const int threads : {1, 2, 3}) check(MinimalAffinity<T>(RowSpace(n, threads)));
    for (const int ranks : {2, 3, 7})
      testing::on_ranks(ranks, [&](const Comm& comm) { check(MinimalAffinity<T>(RowSpace(n, 1, comm))); });
  }
};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(MinimalAffinityOf, Scalars);

TYPED_TEST(MinimalAffinityOf, DegreesAreTheSumsOfAllEntriesAndOfTheirSquares) {
  using T = TypeParam;
  this->for_every_layout([&](const Affinity<T>& A) {
    const Degrees degrees = A.degrees({});
    EXPECT_FALSE(degrees.graph);
    EXPECT_FALSE(degrees.sampled());
    const Range own = A.rows().own_rows();
    ASSERT_EQ(int64_t(degrees.sum.size()), own.size());
    for (int64_t i = own.begin; i < own.end; ++i) {
      double sum = 0, squares = 0;
      for (int64_t j = 0; j < n; ++j) {
        sum += double(entry<T>(i, j));
        squares += double(entry<T>(i, j)) * double(entry<T>(i, j));
      }
      EXPECT_NEAR(degrees.sum[size_t(i - own.begin)], sum, this->bound);
      EXPECT_NEAR(degrees.squares[size_t(i - own.begin)], squares, this->bound);
    }
  });
}

TYPED_TEST(MinimalAffinityOf, TheGraphContainsTheLargestEntriesOfEachRowAndOfEachColumn) {
  using T = TypeParam;
  constexpr int64_t t = 4;
  std::set<std::pair<int64_t, int64_t>> expected;
  for (int64_t i = 0; i < n; ++i) {
    std::vector<int64_t> order(n);
    std::iota(order.begin(), order.end(), int64_t{0});
    std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return entry<T>(i, a) > entry<T>(i, b); });
    for (size_t e = 0; e < size_t(t); ++e) {
      expected.insert({i, order[e]});
      expected.insert({order[e], i});
    }
  }
  this->for_every_layout([&](const Affinity<T>& A) {
    const Range own = A.rows().own_rows();
    const Degrees degrees = A.degrees({}, {}, t);
    ASSERT_TRUE(degrees.graph);
    const NeighborGraph& graph = *degrees.graph;
    ASSERT_EQ(graph.rows(), own.size());
    std::set<std::pair<int64_t, int64_t>> found, expected_here;
    for (int64_t i = 0; i < own.size(); ++i)
      for (int64_t e = graph.starts[size_t(i)]; e < graph.starts[size_t(i + 1)]; ++e) {
        const int64_t local = graph.columns[size_t(e)];
        const int64_t j = local < own.size() ? own.begin + local : graph.others.rows()[size_t(local - own.size())];
        EXPECT_EQ(graph.values[size_t(e)], float(entry<T>(own.begin + i, j)));
        found.insert({own.begin + i, j});
      }
    for (const auto& edge : expected)
      if (own.contains(edge.first)) expected_here.insert(edge);
    EXPECT_EQ(found, expected_here);
  });
}

TYPED_TEST(MinimalAffinityOf, ASquareBlockHasItsPointsInAnyOrderOnEveryRank) {
  using T = TypeParam;
  const std::vector<int64_t> points{299, 3, 64, 65, 10, 200, 0, 129};
  const auto m = int64_t(points.size());
  this->for_every_layout([&](const Affinity<T>& A) {
    Matrix<T> square(m, m);
    A.evaluate_square(points, square);
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < m; ++j) EXPECT_EQ(square(i, j), entry<T>(points[size_t(i)], points[size_t(j)]));
    Matrix<T> none(0, 0);
    A.evaluate_square({}, none);
  });
}

TYPED_TEST(MinimalAffinityOf, SumsOverColumnsAreSumsOfTheirEntriesOnBothSides) {
  using T = TypeParam;
  std::vector<int64_t> columns;
  for (int64_t j = 1; j < n; j += 3) columns.push_back(j);  // more than one block of columns
  this->for_every_layout([&](const Affinity<T>& A) {
    const ColumnSums sums = A.sum_columns(columns, {});
    const Range own = A.rows().own_rows();
    for (int64_t i = own.begin; i < own.end; ++i) {
      double sum = 0, squares = 0;
      for (const int64_t j : columns) {
        sum += double(entry<T>(i, j));
        squares += double(entry<T>(i, j)) * double(entry<T>(i, j));
      }
      EXPECT_NEAR(sums.rows.sum[size_t(i - own.begin)], sum, this->bound);
      EXPECT_NEAR(sums.rows.squares[size_t(i - own.begin)], squares, this->bound);
    }
    for (size_t c = 0; c < columns.size(); ++c) {
      double sum = 0, squares = 0;
      for (int64_t i = 0; i < n; ++i) {
        sum += double(entry<T>(i, columns[c]));
        squares += double(entry<T>(i, columns[c])) * double(entry<T>(i, columns[c]));
      }
      EXPECT_NEAR(sums.columns.sum[c], sum, this->bound);
      EXPECT_NEAR(sums.columns.squares[c], squares, this->bound);
    }
  });
}

TYPED_TEST(MinimalAffinityOf, AProductWithoutTheCacheIsTheProductAndTheOtherDefaultsAreConstant) {
  using T = TypeParam;
  const MinimalAffinity<T> A(RowSpace(n, 1));
  Matrix<T> ones(n, 1), product(n, 1), anew(n, 1);
  std::fill_n(ones.data(), n, T{1});
  A.multiply(ones, product, {});
  A.multiply_anew(ones, anew, {});
  for (int64_t i = 0; i < n; ++i) EXPECT_EQ(product(i, 0), anew(i, 0));
  EXPECT_EQ(A.self_similarity(), 1);
  EXPECT_EQ(A.cost_of_value(), 1);
  EXPECT_EQ(A.entry_error(), 0);
  EXPECT_EQ(A.cached_bytes(), 0);
}

TYPED_TEST(MinimalAffinityOf, DegreesReportTheirProgressAndCanBeStopped) {
  using T = TypeParam;
  const MinimalAffinity<T> A(RowSpace(n, 1));
  double last = 0;
  A.degrees({}, [&](double share) {
    EXPECT_GT(share, last);
    last = share;
  });
  EXPECT_EQ(last, 1);
  const std::atomic<bool> asked{true};
  EXPECT_THROW(A.degrees(StopToken(asked)), Stopped);
  EXPECT_THROW(A.sum_columns(std::vector<int64_t>{1}, StopToken(asked)), Stopped);
}

TYPED_TEST(MinimalAffinityOf, TheNormalizedOperatorHasTheRootsOfTheDegreesAsItsFirstEigenvector) {
  using T = TypeParam;
  // The roots of the degrees are about 10, and each of the n additions rounds.
  const double rounding = 600 * double(std::numeric_limits<T>::epsilon());
  this->for_every_layout([&](const Affinity<T>& A) {
    const Normalized<T> L(A, A.degrees({}), 0.1);
    const int64_t own = A.rows().local_rows();
    Matrix<T> root(own, 1), out(own, 1);
    for (int64_t i = 0; i < own; ++i) root(i, 0) = 1 / L.inverse_root_degrees()[size_t(i)];
    L.multiply(root, out, {});
    for (int64_t i = 0; i < own; ++i) EXPECT_NEAR(double(out(i, 0)), double(root(i, 0)), rounding);
  });
}

// tests/mpi runs the suites whose names begin with Ranks.
TEST(RanksOfAMinimalAffinity, DefaultsHaveTheSameBits) {
  testing::expect_same_bits_for_every_layout(n, [](const RowSpace& space) {
    const MinimalAffinity<float> A(space);
    const Degrees degrees = A.degrees({}, {}, 3);
    std::vector<double> all = space.comm().gather<double>(degrees.sum);
    const std::vector<double> squares = space.comm().gather<double>(degrees.squares);
    const std::vector<float> edges = space.comm().gather<float>(degrees.graph->values);
    const ColumnSums sums = A.sum_columns(std::vector<int64_t>{2, 70, 140, 299}, {});
    all.insert(all.end(), squares.begin(), squares.end());
    all.insert(all.end(), edges.begin(), edges.end());
    all.insert(all.end(), sums.columns.sum.begin(), sums.columns.sum.end());
    return all;
  });
}

}  // namespace
}  // namespace mbsc
