// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numeric>

#include "mbsc/cluster.h"
#include "mbsc/solvers/nystrom/nystrom.h"
#include "mbsc/solvers/nystrom/nystrom_basis.h"
#include "tests/solvers/dense_problem.h"

namespace mbsc {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using testing::clouds;
using testing::DenseProblem;
using testing::departure;
using testing::random_matrix;
using testing::to_eigen;

template <class T>
class NystromOf : public ::testing::Test {
 public:
  /// Landmark directions below 1e-6 of the largest one are dropped. Their contribution is equally small.
  static constexpr double bound = sizeof(T) == 4 ? 1e-4 : 1e-5;
};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(NystromOf, Scalars);

TYPED_TEST(NystromOf, WithAllPointsAsLandmarksItIsTheDenseSolutionOfTheDefiniteMatrix) {
  using T = TypeParam;
  for (const double regularization : {0.0, 0.2}) {
    const DenseProblem<T> p(clouds<T>(120, 3, 4.0, 1), 0.5, regularization);
    const testing::DenseEigen dense = testing::dense_eigen(p.definite);
    ClusterOptions options;
    options.clusters = 5;
    options.landmarks = 120;
    const EigenPairs<T> pairs = solve_nystrom<T>(p.L, options);
    EXPECT_EQ(pairs.status, Status::finished);
    EXPECT_LT(testing::rms_sine(dense.vectors.leftCols(5), to_eigen(pairs.vectors)), this->bound);
    for (int64_t j = 0; j < 5; ++j) EXPECT_NEAR(pairs.values[size_t(j)], dense.values[j], this->bound);
    EXPECT_LT(departure(to_eigen(pairs.vectors)), sizeof(T) == 4 ? 1e-6 : 1e-13);
  }
}

TYPED_TEST(NystromOf, ErrorFallsWithLandmarks) {
  using T = TypeParam;
  const DenseProblem<T> p(clouds<T>(600, 4, 3.0, 2), 0.5);
  const MatrixXd U = testing::dense_eigen(p.definite).vectors.leftCols(4);
  std::vector<double> errors;
  for (const int64_t landmarks : {8, 40, 200, 600}) {
    double mean = 0;
    for (uint64_t seed = 0; seed < 5; ++seed) {
      ClusterOptions options;
      options.clusters = 4;
      options.landmarks = landmarks;
      options.seed = seed;
      const EigenPairs<T> pairs = solve_nystrom<T>(p.L, options);
      mean += testing::rms_sine(U, to_eigen(pairs.vectors)) / 5;
    }
    errors.push_back(mean);
  }
  fmt::print("error with 8, 40, 200, 600 landmarks: {:.2e} {:.2e} {:.2e} {:.2e}\n", errors[0], errors[1], errors[2],
             errors[3]);
  for (size_t i = 1; i < errors.size(); ++i) EXPECT_LT(errors[i], errors[i - 1] / 2);
}

TYPED_TEST(NystromOf, DegreesComeNearTheExactOnesWithManyLandmarks) {
  using T = TypeParam;
  const DenseProblem<T> p(clouds<T>(400, 2, 3.0, 3), 0.2);
  const std::vector<double> exact = p.A.degrees({}).sum;
  const auto error = [&](int64_t landmarks) {
    const std::vector<double> found = nystrom_degrees<T>(p.A, landmarks, 0, {});
    double worst = 0;  // Nystrom degrees include a(x, x) = 1
    for (size_t i = 0; i < exact.size(); ++i)
      worst = std::max(worst, std::abs(found[i] - exact[i] - 1) / (exact[i] + 1));
    return worst;
  };
  fmt::print("degrees off by {:.1e} with 20, {:.1e} with 100, {:.1e} with 400 landmarks\n", error(20), error(100),
             error(400));
  EXPECT_LT(error(100), 0.05);
  EXPECT_LT(error(400), 1e-3);
}

TYPED_TEST(NystromOf, DuplicateLandmarksAreFilledUpWithOrthonormalDirections) {
  using T = TypeParam;
  Matrix<T> X(60, 2);  // two distinct points
  for (int64_t i = 0; i < 60; ++i) X(i, 0) = T(i % 2);
  const DenseProblem<T> p(X, 0.5);
  ClusterOptions options;
  options.clusters = 5;
  options.landmarks = 30;
  const EigenPairs<T> pairs = solve_nystrom<T>(p.L, options);
  EXPECT_EQ(pairs.values.size(), 5u);
  EXPECT_LT(departure(to_eigen(pairs.vectors)), sizeof(T) == 4 ? 1e-6 : 1e-13);
  EXPECT_LT(testing::rms_sine(testing::dense_eigen(p.definite).vectors.leftCols(2), to_eigen(pairs.vectors)),
            this->bound);
}

TYPED_TEST(NystromOf, AToleranceIsCertifiedAgainstTheMatrixItself) {
  using T = TypeParam;
  const DenseProblem<T> p(clouds<T>(300, 3, 5.0, 4), 0.3);
  ClusterOptions options;
  options.clusters = 3;
  options.landmarks = 100;
  for (const double tolerance : {0.5, 1e-9}) {
    options.limits.tolerance = tolerance;
    const EigenPairs<T> pairs = solve_nystrom<T>(p.L, options);
    EXPECT_EQ(pairs.status, tolerance > 0.1 ? Status::converged : Status::budget);
    EXPECT_EQ(pairs.columns_evaluated, 100 + 300);
    const MatrixXd W = to_eigen(pairs.vectors);
    for (int64_t j = 0; j < 3; ++j)
      EXPECT_NEAR(pairs.residuals[size_t(j)], p.residual(W.col(j), pairs.values[size_t(j)]),
                  sizeof(T) == 4 ? 2e-6 : 1e-13);
  }
}

TEST(Nystrom, LandmarksAreDistinctAscendingNeverIsolatedAndUniform) {
  Matrix<float> X = random_matrix<float>(100, 2, 5);
  X(17, 0) = 1e4f;
  X(60, 0) = -1e4f;
  const DenseProblem<float> p(X, 1.0);
  ASSERT_EQ(p.L.isolated_count(), 2);
  std::vector<int> chosen(100);
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    const std::vector<int64_t> landmarks = choose_landmarks<float>(p.L, 10, seed);
    ASSERT_EQ(landmarks.size(), 10u);
    for (size_t i = 0; i < 10; ++i) {
      if (i > 0) {
        ASSERT_LT(landmarks[i - 1], landmarks[i]);
      }
      ++chosen[size_t(landmarks[i])];
    }
  }
  EXPECT_EQ(chosen[17] + chosen[60], 0);
  // The 98 counts have a mean of 2000 * 10/98 = 204 and a standard deviation of sqrt(204 * 88/98) = 13.5. The bound is
  // five standard deviations.
  for (size_t i = 0; i < 100; ++i)
    if (i != 17 && i != 60) {
      EXPECT_NEAR(chosen[i], 204, 68) << i;
    }
  EXPECT_EQ(choose_landmarks<float>(p.L, 100, 0).size(), 98u);
}

TEST(Nystrom, CountsAndBoundsItsLandmarks) {
  const DenseProblem<float> p(clouds<float>(100, 2, 3.0, 6), 0.5);
  ClusterOptions options;
  options.clusters = 4;
  options.landmarks = 30;
  const EigenPairs<float> pairs = solve_nystrom<float>(p.L, options);
  EXPECT_EQ(pairs.landmarks, 30);
  EXPECT_EQ(pairs.columns_evaluated, 30);
  const double n = 100, k = 4, m = 30;
  EXPECT_DOUBLE_EQ(pairs.flops, 6 * n * k + 8 * k * k * k - 3 * k * k + 4 * n * k * k - 3 * k + 2 * n * k * m + n * m +
                                    2 * n * m * m + m * m + m * m * m - n);
  options.method = "nystrom";
  for (const int64_t bad : {-1, 0, 3, 101}) {
    options.landmarks = bad;
    EXPECT_THROW(resolve({100, 2}, options), InvalidInput) << bad;
  }
  options.landmarks.reset();  // the default is 500, or n if that is less
  EXPECT_EQ(solve_nystrom<float>(p.L, options).landmarks, 100);
  EXPECT_EQ(resolve({100, 2}, options).options.landmarks, 100);
  EXPECT_EQ(resolve({10000, 2}, options).options.landmarks, 500);
}

TEST(Nystrom, ColumnsThatAreNotKeptAreEvaluatedTwice) {
  const DenseProblem<double> p(clouds<double>(200, 2, 3.0, 6), 0.5, 0.01);
  const std::vector<int64_t> landmarks = choose_landmarks(p.L, 40, 1);
  const NystromBasis<double> all = nystrom_basis(p.L, landmarks, 10, {}, 40, 10);
  for (const int64_t keep : {0, 15}) {
    const NystromBasis<double> some = nystrom_basis(p.L, landmarks, 10, {}, keep, 10);
    EXPECT_EQ(some.columns_evaluated, 80 - keep);
    EXPECT_EQ(some.kept.indices.size(), size_t(keep));
    EXPECT_LT((to_eigen(some.vectors) - to_eigen(all.vectors)).norm(), 1e-9);
  }
  EXPECT_EQ(all.columns_evaluated, 40);
  // The kept columns are those of L without the rank-one part of the regularization.
  Matrix<double> unit(40, 40), columns(200, 40);
  for (int64_t j = 0; j < 40; ++j) unit(j, j) = 1;
  p.L.multiply_columns(landmarks, unit, columns, {});
  EXPECT_LT((to_eigen(all.kept.values) - to_eigen(columns)).norm(), 1e-12);
  KeptColumns<double> grown = nystrom_basis(p.L, landmarks, 10, {}, 15, 10).kept;
  keep_more(p.L, {landmarks.begin() + 15, landmarks.end()}, grown, {});
  EXPECT_EQ(grown.indices, landmarks);
  EXPECT_EQ(to_eigen(grown.values), to_eigen(all.kept.values));
}

TEST(Nystrom, HasTheSameBitsForAnyNumberOfThreads) {
  const Matrix<float> X = clouds<float>(700, 4, 3.0, 7);
  ClusterOptions options;
  options.clusters = 4;
  options.landmarks = 50;
  Matrix<float> one;
  for (const int threads : {1, 2, 3}) {
    const KernelAffinity<float> A(Points(X.view()), {KernelKind::rbf, 0.5}, RowSpace(700, threads));
    const EigenPairs<float> pairs = solve_nystrom<float>(Normalized<float>(A, A.degrees({}).sum, 0), options);
    if (threads == 1) one = pairs.vectors;
    EXPECT_TRUE(std::equal(one.data(), one.data() + one.size(), pairs.vectors.data())) << threads << " threads";
  }
}

}  // namespace
}  // namespace mbsc
