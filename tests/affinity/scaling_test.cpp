// SPDX-License-Identifier: Apache-2.0
#include "mbsc/affinity/scaling.h"

#include <gtest/gtest.h>

#include <limits>

#include "mbsc/base/require.h"
#include "tests/affinity/dense_oracle.h"

namespace mbsc {
namespace {

using testing::random_matrix;

constexpr int64_t n = 400;

/// Three features with different locations and widths, and a constant one.
Matrix<double> features() {
  Matrix<double> X = random_matrix<double>(n, 4, 1);
  for (int64_t i = 0; i < n; ++i) {
    X(i, 1) = 1e6 + X(i, 1);
    X(i, 2) *= 1e-4;
    X(i, 3) = 3.25;
  }
  return X;
}

struct Statistics {
  double least = std::numeric_limits<double>::infinity(), largest = -least, mean = 0, deviation = 0;
};
Statistics statistics(const Points& points, int64_t feature, int64_t rows) {
  Statistics s;
  for (int64_t i = 0; i < rows; ++i) {
    s.least = std::min(s.least, points(i, feature));
    s.largest = std::max(s.largest, points(i, feature));
    s.mean += points(i, feature) / double(rows);
  }
  for (int64_t i = 0; i < rows; ++i) s.deviation += std::pow(points(i, feature) - s.mean, 2) / double(rows);
  s.deviation = std::sqrt(s.deviation);
  return s;
}

// The second feature is near 1e6 with a width of one. A double rounds it with an error of about 1e-10.
constexpr double bound = 1e-9;

TEST(Scaling, UnitMapsEveryFeatureToZeroOne) {
  const Matrix<double> X = features();
  Points points(X.view());
  apply_scaling(points, Scaling::unit, 0, 1);
  for (int64_t f = 0; f < 3; ++f) {
    EXPECT_NEAR(statistics(points, f, n).least, 0, bound);
    EXPECT_NEAR(statistics(points, f, n).largest, 1, bound);
  }
}

TEST(Scaling, SymmetricMapsEveryFeatureToMinusOneOne) {
  const Matrix<double> X = features();
  Points points(X.view());
  apply_scaling(points, Scaling::symmetric, 0, 1);
  for (int64_t f = 0; f < 3; ++f) {
    EXPECT_NEAR(statistics(points, f, n).least, -1, bound);
    EXPECT_NEAR(statistics(points, f, n).largest, 1, bound);
  }
}

TEST(Scaling, StandardMapsEveryFeatureToMeanZeroAndDeviationOne) {
  const Matrix<double> X = features();
  Points points(X.view());
  apply_scaling(points, Scaling::standard, 0, 1);
  for (int64_t f = 0; f < 3; ++f) {
    EXPECT_NEAR(statistics(points, f, n).mean, 0, bound);
    EXPECT_NEAR(statistics(points, f, n).deviation, 1, bound);
  }
}

TEST(Scaling, AConstantFeatureBecomesZero) {
  const Matrix<double> X = features();
  for (const Scaling scaling : {Scaling::unit, Scaling::symmetric, Scaling::standard}) {
    Points points(X.view());
    apply_scaling(points, scaling, 0, 1);
    for (int64_t i = 0; i < n; ++i) EXPECT_EQ(points(i, 3), 0);
  }
}

TEST(Scaling, NoneDoesNotChangeThePoints) {
  const Matrix<double> X = features();
  Points points(X.view());
  apply_scaling(points, Scaling::none, 0, 1);
  for (int64_t f = 0; f < 4; ++f) EXPECT_EQ(points(17, f), X(17, f));
}

TEST(Scaling, UsesTheRangesOfTheFirstRowsOnly) {
  Matrix<double> X = features();
  X(300, 0) = 1000;
  Points points(X.view());
  apply_scaling(points, Scaling::unit, 300, 1);
  EXPECT_NEAR(statistics(points, 0, 300).least, 0, bound);
  EXPECT_NEAR(statistics(points, 0, 300).largest, 1, bound);
  EXPECT_GT(points(300, 0), 100);
  EXPECT_THROW(apply_scaling(points, Scaling::unit, n + 1, 1), InvalidInput);
  EXPECT_THROW(apply_scaling(points, Scaling::unit, -1, 1), InvalidInput);
}

TEST(Scaling, HasTheSameBitsForAnyNumberOfThreads) {
  const Matrix<double> X = features();
  Points one(X.view());
  apply_scaling(one, Scaling::standard, 0, 1);
  for (const int threads : {2, 3}) {
    Points points(X.view());
    apply_scaling(points, Scaling::standard, 0, threads);
    EXPECT_EQ(points.shift, one.shift);
    EXPECT_EQ(points.scale, one.scale);
  }
}

TEST(ChooseGamma, ScalesWithTheInverseSquareOfTheDataAndIgnoresAShift) {
  const Matrix<double> X = random_matrix<double>(n, 3, 2);
  Points points(X.view());
  const double gamma = choose_gamma(points, KernelKind::rbf, 4, 0);
  const double exponential = choose_gamma(points, KernelKind::exponential, 4, 0);
  for (const double s : {1e-3, 0.7, 50.0}) {
    points.scale.assign(3, s);
    EXPECT_NEAR(choose_gamma(points, KernelKind::rbf, 4, 0) * s * s / gamma, 1, 1e-9);
    EXPECT_NEAR(choose_gamma(points, KernelKind::exponential, 4, 0) * s / exponential, 1, 1e-9);
  }
  points.scale.clear();
  points.shift = {100, -7, 3};
  EXPECT_NEAR(choose_gamma(points, KernelKind::rbf, 4, 0) / gamma, 1, 1e-9);
}

// In 20 dimensions all distances are similar. With gamma = 16 / median, every degree is below 3 % of a cluster size.
TEST(ChooseGamma, IsSixteenOverTheMedianSquaredDistanceInManyDimensions) {
  const Matrix<double> X = random_matrix<double>(101, 20, 3);
  std::vector<double> distances;
  for (int64_t i = 0; i < 101; ++i)
    for (int64_t j = 0; j < i; ++j) {
      distances.insert(distances.end(), 2, 0.0);
      for (int64_t f = 0; f < 20; ++f) distances.back() += std::pow(X(i, f) - X(j, f), 2);
      distances[distances.size() - 2] = distances.back();
    }
  std::sort(distances.begin(), distances.end());
  const double median = distances[distances.size() / 2];
  EXPECT_DOUBLE_EQ(choose_gamma(Points(X.view()), KernelKind::rbf, 2, 4), 16 / median);
}

TEST(ChooseGamma, MakesATypicalDegreeThreePercentOfAClusterInTwoDimensions) {
  const int64_t count = 1200, clusters = 2;
  const Matrix<double> X = random_matrix<double>(count, 2, 5);
  const double gamma = choose_gamma(Points(X.view()), KernelKind::rbf, clusters, 0);
  const Eigen::MatrixXd A = testing::dense_affinity(Points(X.view()), {KernelKind::rbf, gamma});
  Eigen::VectorXd degrees = A.rowwise().sum();
  std::sort(degrees.data(), degrees.data() + count);
  // choose_gamma() uses 200 of the 1,200 degrees. The error of their median is about a tenth of their spread.
  EXPECT_NEAR(degrees[count / 2] / (0.03 * double(count) / double(clusters)), 1, 0.15);
}

TEST(ChooseGamma, IgnoresCoincidentPointsAndFindsTheOnlyOtherPoint) {
  Matrix<double> X(5000, 1);
  X(4321, 0) = 2;
  EXPECT_DOUBLE_EQ(choose_gamma(Points(X.view()), KernelKind::rbf, 2, 0), 4);
  X(4321, 0) = 0;
  EXPECT_THROW(choose_gamma(Points(X.view()), KernelKind::rbf, 2, 0), InvalidInput);
}

TEST(CountDistinct, StopsAtTheGivenNumber) {
  Matrix<float> X(20, 2);
  for (int64_t i = 0; i < 20; ++i) X(i, 1) = float(i % 5);
  X(3, 0) = -0.0f;  // equal to 0
  EXPECT_EQ(count_distinct(Points(X.view()), 100), 5);
  EXPECT_EQ(count_distinct(Points(X.view()), 3), 3);
  EXPECT_EQ(count_distinct(Points(Matrix<float>(4, 2).view()), 2), 1);
}

TEST(CheckFinite, NamesTheFirstBadRowAndFeatureForAnyNumberOfThreads) {
  Matrix<float> X = random_matrix<float>(1000, 3, 5);
  EXPECT_NO_THROW(check_finite(Points(X.view()), 2));
  // The first bad value is in the last row of the first block. Every later block begins with a bad value.
  X(63, 2) = std::numeric_limits<float>::quiet_NaN();
  for (int64_t i = 64; i < 1000; ++i) X(i, 0) = std::numeric_limits<float>::infinity();
  for (const int threads : {1, 2, 3})
    for (int repeat = 0; repeat < 50; ++repeat) {
      try {
        check_finite(Points(X.view()), threads);
        ADD_FAILURE() << "no exception";
      } catch (const InvalidInput& error) {
        EXPECT_NE(std::string(error.what()).find("row 64, feature 3"), std::string::npos) << error.what();
      }
    }
}

}  // namespace
}  // namespace mbsc
