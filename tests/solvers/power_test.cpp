// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "mbsc/solvers/power/power.h"
#include "tests/solvers/dense_problem.h"

namespace mbsc {
namespace {

using Eigen::MatrixXd;
using testing::clouds;
using testing::DenseProblem;
using testing::departure;
using testing::to_eigen;

template <class T>
class PowerOf : public ::testing::Test {
 public:
  static constexpr double bound = sizeof(T) == 4 ? 3e-6 : 1e-11;
};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(PowerOf, Scalars);

/// Three clouds, and four pairs of points far from everything. Each pair has the eigenvalues 1 and -1.
template <class T>
Matrix<T> clouds_and_pairs() {
  Matrix<T> X = clouds<T>(158, 3, 8.0, 1);
  for (int64_t i = 0; i < 8; ++i) {
    X(150 + i, 0) = T(100 * (i / 2 + 1));
    X(150 + i, 1) = T(0.5 * double(i % 2));
  }
  return X;
}

/// The k eigenvectors whose eigenvalues have the largest modulus, by falling modulus.
template <class T>
MatrixXd dominant(const DenseProblem<T>& p, int64_t k) {
  std::vector<int64_t> order(size_t(p.n()));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t a, int64_t b) { return std::abs(p.values[a]) > std::abs(p.values[b]); });
  MatrixXd U(p.n(), k);
  for (int64_t j = 0; j < k; ++j) U.col(j) = p.vectors.col(order[size_t(j)]);
  return U;
}

TYPED_TEST(PowerOf, PlainConvergesToTheSubspaceOfLargestModulus) {
  using T = TypeParam;
  const DenseProblem<T> p(clouds_and_pairs<T>(), 0.3);
  ASSERT_LT(p.values[p.n() - 4], -0.999);  // the pairs
  ClusterOptions options;
  options.clusters = 11;  // eigenvalues near 1: three clouds and four pairs; -1: four pairs
  options.limits.iterations = 150;
  const EigenPairs<T> pairs = solve_power<T>(p.L, options);
  EXPECT_LT(testing::rms_sine(dominant(p, 11), to_eigen(pairs.vectors)), this->bound);
  // With seven columns, the method does not find the seven leading eigenvectors.
  options.clusters = 7;
  EXPECT_GT(p.error(to_eigen(solve_power<T>(p.L, options).vectors), 7), 0.1);
}

TYPED_TEST(PowerOf, ShiftedConvergesToTheLeadingEigenvectorsInSpiteOfNegativeOnes) {
  using T = TypeParam;
  const DenseProblem<T> p(clouds_and_pairs<T>(), 0.3);
  ClusterOptions options;
  options.clusters = 7;
  options.limits.iterations = 300;
  options.power.power_operator = PowerOperator::shifted;
  const EigenPairs<T> pairs = solve_power<T>(p.L, options);
  fmt::print("gap {:.3f} | {:.3f}\n", p.values[6], p.values[7]);
  EXPECT_LT(p.error(to_eigen(pairs.vectors), 7), this->bound);
  for (size_t j = 0; j < 7; ++j) EXPECT_NEAR(pairs.values[j], p.values[int64_t(j)], this->bound);
}

TYPED_TEST(PowerOf, EachProductBringsThePlainMethodNearer) {
  using T = TypeParam;
  const DenseProblem<T> p(clouds<T>(200, 3, 5.0, 2), 0.3);
  double before = 1;
  for (const int64_t iterations : {1, 3, 6, 12}) {
    ClusterOptions options;
    options.clusters = 3;
    options.limits.iterations = iterations;
    const EigenPairs<T> pairs = solve_power<T>(p.L, options);
    EXPECT_EQ(pairs.full_products, iterations);
    EXPECT_LT(departure(to_eigen(pairs.vectors)), sizeof(T) == 4 ? 1e-6 : 1e-13);
    const double error = p.error(to_eigen(pairs.vectors), 3);
    EXPECT_LT(error, before);
    before = error;
  }
}

TYPED_TEST(PowerOf, AToleranceIsCertifiedByTheProductItself) {
  using T = TypeParam;
  const DenseProblem<T> p(clouds<T>(200, 3, 5.0, 3), 0.3);
  ClusterOptions options;
  options.clusters = 3;
  options.limits.tolerance = 1e-4;
  const EigenPairs<T> pairs = solve_power<T>(p.L, options);
  EXPECT_EQ(pairs.status, Status::converged);
  const MatrixXd W = to_eigen(pairs.vectors);
  for (int64_t j = 0; j < 3; ++j) {
    EXPECT_LE(pairs.residuals[size_t(j)], 1e-4);
    EXPECT_NEAR(pairs.residuals[size_t(j)], p.residual(W.col(j), pairs.values[size_t(j)]),
                sizeof(T) == 4 ? 2e-6 : 1e-13);
  }
  options.limits.passes = 2;
  options.limits.tolerance = 1e-14;
  const EigenPairs<T> spent = solve_power<T>(p.L, options);
  EXPECT_EQ(spent.status, Status::budget);
  EXPECT_EQ(spent.columns_evaluated, 400);
}

TEST(Power, TakesThreeProductsByDefaultAndCountsThem) {
  const DenseProblem<float> p(clouds<float>(200, 3, 5.0, 4), 0.3);
  ClusterOptions options;
  options.clusters = 3;
  const EigenPairs<float> pairs = solve_power<float>(p.L, options);
  EXPECT_EQ(pairs.status, Status::finished);
  EXPECT_EQ(pairs.iterations, 3);
  EXPECT_EQ(pairs.columns_evaluated, 600);
  const double n = 200, k = 3;
  EXPECT_DOUBLE_EQ(pairs.flops, 3 * (2 * n * n * k - n * k) + 2 * n * k * k + 2 * k * k * k);
}

TEST(Power, MoreColumnsThanTheRankOfTheMatrixStayOrthonormal) {
  Matrix<float> X(64, 1);  // a pair among 62 isolated points: rank two
  for (int64_t i = 0; i < 64; ++i) X(i, 0) = float(1000 * (i / 2 * 2 + (i > 1 ? i % 2 : 0))) + 0.1f * float(i % 2);
  const DenseProblem<float> p(X, 1.0);
  ClusterOptions options;
  options.clusters = 5;
  const EigenPairs<float> pairs = solve_power<float>(p.L, options);
  EXPECT_LT(departure(to_eigen(pairs.vectors)), 1e-6);
  EXPECT_LT(testing::rms_sine(dominant(p, 2), to_eigen(pairs.vectors)), 1e-6);
}

TEST(Power, AnObserverEndsIt) {
  const DenseProblem<float> p(clouds<float>(200, 3, 5.0, 5), 0.3);
  ClusterOptions options;
  options.clusters = 3;
  options.limits.iterations = 50;
  const EigenPairs<float> pairs =
      solve_power<float>(p.L, options, [](const Progress<float>& progress) { return progress.iteration < 4; });
  EXPECT_EQ(pairs.status, Status::stopped);
  EXPECT_EQ(pairs.iterations, 4);
}

}  // namespace
}  // namespace mbsc
