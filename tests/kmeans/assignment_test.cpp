// SPDX-License-Identifier: Apache-2.0
#include "mbsc/kmeans/assignment.h"

#include <gtest/gtest.h>

#include "tests/kmeans/clouds.h"

namespace mbsc {
namespace {

template <class T>
class AssignmentOf : public ::testing::Test {};
using Precisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(AssignmentOf, Precisions);

/// The size of a problem, and how Assignment solves it.
struct Way {
  int64_t clusters, columns;
  bool may_search;  ///< if false, bounds are used (assignment.h)
};
std::vector<Way> ways() {
  std::vector<Way> all;
  for (const int64_t clusters : {1, 2, 7, 33})
    for (const int64_t columns : {1, 3, 16})
      for (const bool may_search : {false, true}) all.push_back({clusters, columns, may_search});
  return all;
}

TYPED_TEST(AssignmentOf, MovingCentersGivesTheLabelsOfAPlainSearch) {
  using T = TypeParam;
  const Random random(2, Stream::test);
  for (const auto& [clusters, columns, may_search] : ways()) {
    const Matrix<T> rows = make_clouds<T>(3001, columns, 5, 0.2);
    const RowSpace space(rows.rows(), 1);
    Assignment<T> assignment(space, rows, {}, may_search);
    Matrix<double> centers = make_clouds<double>(clusters, columns, 5, 0.2);
    std::vector<int32_t> before(rows.rows(), -1);
    for (int step = 0; step < 25; ++step) {
      const int64_t changed = assignment.update(centers);
      const std::vector<int32_t> expected = nearest_centers(rows, centers);
      ASSERT_EQ(assignment.labels(), expected);
      ASSERT_EQ(assignment.counts(), cluster_sizes(expected, clusters));
      int64_t differing = 0;
      for (size_t i = 0; i < expected.size(); ++i) differing += expected[i] != before[i];
      ASSERT_EQ(changed, differing);
      before = expected;
      // The steps become smaller, with a large one from time to time: the bounds must stay valid in both cases.
      const double step_size = step % 9 == 8 ? 1 : 0.1 / (1 + step);
      for (int64_t i = 0; i < centers.size(); ++i) centers.data()[i] += step_size * random.normal(step, i);
    }
  }
}

TYPED_TEST(AssignmentOf, TiesGoToTheLowestNumber) {
  using T = TypeParam;
  // Rows and centers lie on a coarse grid: many rows have several nearest centers.
  Matrix<T> rows(500, 2);
  Matrix<double> centers(9, 2);
  const Random random(3, Stream::test);
  for (int64_t i = 0; i < rows.size(); ++i) rows.data()[i] = static_cast<T>(random.below(5, i));
  const RowSpace space(rows.rows(), 1);
  for (const bool may_search : {false, true}) {
    Assignment<T> assignment(space, rows, {}, may_search);
    for (int step = 0; step < 20; ++step) {
      for (int64_t i = 0; i < centers.size(); ++i)
        centers.data()[i] = static_cast<double>(random.below(5, step + 1, i));
      assignment.update(centers);
      ASSERT_EQ(assignment.labels(), nearest_centers(rows, centers));
    }
  }
}

TYPED_TEST(AssignmentOf, AMovedRowIsSearchedAnew) {
  using T = TypeParam;
  const Matrix<T> rows = make_clouds<T>(300, 4, 3, 0.01);
  const Matrix<double> centers = make_clouds<double>(3, 4, 3, 0);
  const RowSpace space(rows.rows(), 1);
  for (const bool may_search : {false, true}) {
    Assignment<T> assignment(space, rows, {}, may_search);
    assignment.update(centers);
    assignment.move(30, 0, 1);
    EXPECT_EQ(assignment.labels()[30], 1);
    EXPECT_EQ(assignment.counts(), (std::vector<int64_t>{99, 101, 100}));
    EXPECT_EQ(assignment.update(centers), 1);
    EXPECT_EQ(assignment.labels()[30], 0);
  }
}

}  // namespace
}  // namespace mbsc
