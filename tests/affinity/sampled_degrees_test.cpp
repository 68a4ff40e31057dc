// SPDX-License-Identifier: Apache-2.0
#include "mbsc/affinity/degrees/sampled_degrees.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <limits>
#include <numeric>

#include "mbsc/affinity/matrix/matrix_affinity.h"
#include "mbsc/base/require.h"
#include "tests/affinity/dense_oracle.h"

namespace mbsc {
namespace {

using testing::dense_affinity;
using testing::random_matrix;

template <class T>
double rounding() {
  return 100 * double(std::numeric_limits<T>::epsilon());
}

template <class T>
class SampledDegreesOf : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(SampledDegreesOf, Scalars);

/// Compares the row sums and the column sums of the given columns with those of the dense matrix.
template <class T>
void expect_column_sums(const Affinity<T>& affinity, const Eigen::MatrixXd& dense,
                        const std::vector<int64_t>& columns) {
  const ColumnSums sums = affinity.sum_columns(columns, {});
  Eigen::MatrixXd chosen(dense.rows(), int64_t(columns.size()));
  for (size_t j = 0; j < columns.size(); ++j) chosen.col(int64_t(j)) = dense.col(columns[j]);
  ASSERT_EQ(sums.rows.sum.size(), size_t(dense.rows()));
  ASSERT_EQ(sums.columns.squares.size(), columns.size());
  for (int64_t i = 0; i < dense.rows(); ++i) {
    const double bound = rounding<T>() * (1 + chosen.row(i).sum());
    EXPECT_NEAR(sums.rows.sum[size_t(i)], chosen.row(i).sum(), bound);
    EXPECT_NEAR(sums.rows.squares[size_t(i)], chosen.row(i).squaredNorm(), bound);
  }
  for (int64_t j = 0; j < chosen.cols(); ++j) {
    const double bound = rounding<T>() * (1 + chosen.col(j).sum());
    EXPECT_NEAR(sums.columns.sum[size_t(j)], chosen.col(j).sum(), bound);
    EXPECT_NEAR(sums.columns.squares[size_t(j)], chosen.col(j).squaredNorm(), bound);
  }
}

TYPED_TEST(SampledDegreesOf, SumsOverColumnsEqualTheDenseSumsForEveryKindOfAffinity) {
  using T = TypeParam;
  const int64_t n = 611;
  const Matrix<T> X = random_matrix<T>(n, 3, 1);
  for (const KernelKind kind : {KernelKind::rbf, KernelKind::exponential, KernelKind::cosine})
    for (const int64_t m : {0, 1, 7, 64, 65, 611}) {  // 611: more than one chunk of columns
      const Kernel kernel{kind, 0.8};
      const Eigen::MatrixXd dense = dense_affinity(Points(X.view()), kernel);
      Matrix<T> stored(n, n);
      for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j < n; ++j) stored(i, j) = T(dense(i, j));
      std::vector<int64_t> columns(static_cast<size_t>(m));
      for (int64_t j = 0; j < m; ++j) columns[size_t(j)] = j * n / m;
      const RowSpace rows(n, 2);
      expect_column_sums<T>(KernelAffinity<T>(Points(X.view()), kernel, rows), dense, columns);
      if (m < 70) expect_column_sums<T>(MatrixAffinity<T>(Points(stored.view()), rows), dense, columns);
    }
}

TYPED_TEST(SampledDegreesOf, AllColumnsOrAllButOneGiveTheExactDegrees) {
  using T = TypeParam;
  const int64_t n = 300;
  const Matrix<T> X = random_matrix<T>(n, 2, 2);
  const KernelAffinity<T> A(Points(X.view()), {KernelKind::rbf, 4}, RowSpace(n, 2));
  const Degrees exact = A.degrees({});
  for (const int64_t columns : {n, n - 1}) {
    const SampledDegrees sampled = sample_degrees<T>(A, columns, 3, {});
    for (size_t i = 0; i < size_t(n); ++i) {
      EXPECT_NEAR(sampled.degrees.sum[i], exact.sum[i], rounding<T>() * (1 + exact.sum[i]));
      EXPECT_NEAR(sampled.degrees.squares[i], exact.squares[i], rounding<T>() * (1 + exact.sum[i]));
    }
    EXPECT_EQ(degree_error(A.rows(), sampled.degrees).relative, 0);
    EXPECT_EQ(degree_error(A.rows(), sampled.degrees).largest, 0);
    EXPECT_EQ(sampled.columns_evaluated, columns);
  }
}

TEST(SampledDegrees, AreUnbiasedAndEstimateTheirVariance) {
  const int64_t n = 150, columns = 50;
  const int seeds = 800;
  const Matrix<double> X = random_matrix<double>(n, 2, 4);
  const KernelAffinity<double> A(Points(X.view()), {KernelKind::rbf, 0.1}, RowSpace(n, 1));
  const Degrees exact = A.degrees({});
  std::vector<double> error(n), square_error(n), squares(n), estimated(n);
  double relative = 0, observed_relative = 0;
  for (int seed = 0; seed < seeds; ++seed) {
    const SampledDegrees s = sample_degrees<double>(A, columns, uint64_t(seed), {});
    ASSERT_EQ(s.unseen + s.unreliable, 0) << "corrected rows are not unbiased";
    relative += degree_error(A.rows(), s.degrees).relative * degree_error(A.rows(), s.degrees).relative / seeds;
    for (size_t i = 0; i < size_t(n); ++i) {
      const double e = s.degrees.sum[i] - exact.sum[i];
      error[i] += e;
      squares[i] += e * e;
      square_error[i] += (s.degrees.squares[i] - exact.squares[i]) / exact.squares[i];
      estimated[i] += s.degrees.variance[i];
      observed_relative += e * e / (exact.sum[i] * exact.sum[i]) / double(n) / seeds;
    }
  }
  double largest_z = 0, all_estimated = 0, all_squares = 0, mean_z = 0, q_bias = 0;
  for (size_t i = 0; i < size_t(n); ++i) {
    const double z = error[i] / std::sqrt(squares[i]);
    largest_z = std::max(largest_z, std::abs(z));
    mean_z += z / double(n);
    all_estimated += estimated[i];
    all_squares += squares[i];
    q_bias = std::max(q_bias, std::abs(square_error[i]) / seeds);
  }
  const double ratio = all_estimated / all_squares;
  fmt::print(
      "z: mean {:.2f}, largest of {} rows {:.2f}; estimated / observed variance {:.3f}; relative error {:.4f}, "
      "observed {:.4f}\n",
      mean_z, n, largest_z, ratio, std::sqrt(relative), std::sqrt(observed_relative));
  EXPECT_LT(largest_z, 4.5);  // probability 1 in 150,000 for one row
  EXPECT_LT(std::abs(mean_z), 4);
  // All rows use the same sampled columns. In the worst case there are only a few independent sums of 800 squares, each
  // with a relative error of sqrt(2/800) = 5 %.
  EXPECT_NEAR(ratio, 1, 0.1);
  EXPECT_NEAR(relative / observed_relative, 1, 0.1);
  EXPECT_LT(q_bias, 0.02);  // the error of one draw, at most 15 %, divided by sqrt(800), times 4
}

TEST(SampledDegrees, UncertainRowsAreEvaluatedIfTheyAreFew) {
  // A cloud, ten distant pairs and five points without a neighbor.
  const int64_t cloud = 975, n = 1000, columns = 200;
  Matrix<float> X = random_matrix<float>(n, 2, 5);
  for (int64_t i = cloud; i < n; ++i) {
    X(i, 0) = i < cloud + 20 ? 100.0f * float((i - cloud) / 2 + 1) + 0.01f * float(i % 2) : -100.0f * float(n - i);
    X(i, 1) = 0;
  }
  const KernelAffinity<float> A(Points(X.view()), {KernelKind::rbf, 0.2}, RowSpace(n, 2));
  const Degrees exact = A.degrees({});
  const SampledDegrees s = sample_degrees<float>(A, columns, 6, {});
  EXPECT_GT(s.unseen, 10);
  EXPECT_EQ(s.not_evaluated, 0);
  EXPECT_LE(s.columns_evaluated, most_degree_columns(n, columns));
  EXPECT_EQ(s.columns_evaluated, columns + s.unseen + s.unreliable);
  for (size_t i = size_t(cloud); i < size_t(n); ++i) {
    EXPECT_NEAR(s.degrees.sum[i], exact.sum[i], 1e-5) << i;
    EXPECT_EQ(s.degrees.sum[i] > 0, exact.sum[i] > 0);
    EXPECT_EQ(s.degrees.variance[i], 0);
  }
  EXPECT_LE(degree_error(A.rows(), s.degrees).largest, 0.5) << "all other rows are reliable";
}

TEST(SampledDegrees, UncertainRowsThatAreNotEvaluatedNeverGetTooSmallADegree) {
  // 500 distant pairs. Every degree is 1. The sample either contains the only neighbor of a row, or it shows nothing.
  const int64_t n = 1000, columns = 150;
  Matrix<float> X(n, 1);
  for (int64_t i = 0; i < n; ++i) X(i, 0) = 100.0f * float(i / 2);
  const KernelAffinity<float> A(Points(X.view()), {KernelKind::rbf, 1}, RowSpace(n, 1));
  const SampledDegrees s = sample_degrees<float>(A, columns, 7, {});
  EXPECT_GT(s.unseen, 600);
  EXPECT_GT(s.unreliable, 90);
  EXPECT_EQ(s.not_evaluated, s.unseen + s.unreliable - (columns + 3) / 4);
  for (const double d : s.degrees.sum) {
    EXPECT_GE(d, 1);
    EXPECT_LE(d, 2);  // 0.15 times the estimate 999/150 plus 0.85 times 1
  }
  EXPECT_GT(degree_error(A.rows(), s.degrees).relative, 0.5);
  EXPECT_LE(degree_error(A.rows(), s.degrees).largest, 999 / 150.0);
}

TEST(SampledDegrees, ManyPointsWithoutANeighborRemainIsolated) {
  const int64_t n = 1000, together = 400;
  Matrix<float> X = random_matrix<float>(n, 2, 8);
  for (int64_t i = together; i < n; ++i) X(i, 0) = 1000.0f * float(i);
  const KernelAffinity<float> A(Points(X.view()), {KernelKind::rbf, 0.1}, RowSpace(n, 1));
  const SampledDegrees s = sample_degrees<float>(A, 120, 9, {});
  EXPECT_GT(s.not_evaluated, 400) << "many more than the evaluated rows";
  for (int64_t i = 0; i < n; ++i) EXPECT_EQ(s.degrees.sum[size_t(i)] > 0, i < together) << i;
}

TEST(SampledDegrees, HaveTheSameBitsForAnyNumberOfThreadsAndDependOnTheSeed) {
  const int64_t n = 2500;  // blocks of 256 rows
  const Matrix<float> X = random_matrix<float>(n, 4, 10);
  std::vector<SampledDegrees> results;
  for (const int threads : {1, 2, 3}) {
    const KernelAffinity<float> A(Points(X.view()), {KernelKind::rbf, 1.5}, RowSpace(n, threads));
    results.push_back(sample_degrees<float>(A, 600, 11, {}));
    EXPECT_GT(results.back().columns_evaluated, 600) << "some rows are uncertain";
    EXPECT_EQ(results[0].degrees.sum, results.back().degrees.sum);
    EXPECT_EQ(results[0].degrees.squares, results.back().degrees.squares);
    EXPECT_EQ(results[0].degrees.variance, results.back().degrees.variance);
    EXPECT_EQ(degree_error(A.rows(), results[0].degrees).relative,
              degree_error(A.rows(), results.back().degrees).relative);
    EXPECT_NE(results[0].degrees.sum, sample_degrees<float>(A, 600, 12, {}).degrees.sum);
  }
}

TEST(SampledDegrees, CountTheirKernelValuesReportTheirProgressAndCanBeStopped) {
  const int64_t n = 800;
  const Matrix<float> X = random_matrix<float>(n, 3, 13);
  const KernelAffinity<float> A(Points(X.view()), {KernelKind::rbf, 1}, RowSpace(n, 1));
  double last = 0;
  const SampledDegrees s = sample_degrees<float>(A, 600, 0, {}, [&](double share) {
    EXPECT_GE(share, last);
    last = share;
  });
  EXPECT_EQ(last, 1);
  EXPECT_EQ(A.kernel_values(), n * s.columns_evaluated);
  const std::atomic<bool> asked{true};
  EXPECT_THROW(sample_degrees<float>(A, 600, 0, StopToken(asked)), Stopped);
  EXPECT_THROW(sample_degrees<float>(A, 0, 0, {}), InvalidInput);
  EXPECT_THROW(sample_degrees<float>(A, n + 1, 0, {}), InvalidInput);
}

}  // namespace
}  // namespace mbsc
