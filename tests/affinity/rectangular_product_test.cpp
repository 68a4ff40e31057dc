// SPDX-License-Identifier: Apache-2.0
#include "mbsc/affinity/kernel/rectangular_product.h"

#include <gtest/gtest.h>

#include <limits>
#include <numeric>

#include "mbsc/base/require.h"
#include "tests/affinity/dense_oracle.h"

namespace mbsc {
namespace {

using testing::random_matrix;
using testing::to_eigen;

std::vector<int64_t> all_rows(int64_t count) {
  std::vector<int64_t> rows(static_cast<size_t>(count));
  std::iota(rows.begin(), rows.end(), int64_t{0});
  return rows;
}

/// kernel(x_i, y_j) by the formula of the kernel, from one set that contains both.
Eigen::MatrixXd dense_between(const Matrix<double>& X, const Matrix<double>& Y, const Kernel& kernel) {
  Matrix<double> both(X.rows() + Y.rows(), X.cols());
  std::copy_n(X.data(), X.size(), both.data());
  std::copy_n(Y.data(), Y.size(), both.row(X.rows()));
  Eigen::MatrixXd A(X.rows(), Y.rows());
  for (int64_t i = 0; i < X.rows(); ++i)
    for (int64_t j = 0; j < Y.rows(); ++j)
      A(i, j) = testing::kernel_value(Points(both.view()), kernel, i, X.rows() + j);
  return A;
}

template <class T>
class RectangularProductOf : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(RectangularProductOf, Scalars);

TYPED_TEST(RectangularProductOf, EqualsTheDenseProductForEveryKernelAndOddSizes) {
  using T = TypeParam;
  // The last case has more than one chunk of columns.
  for (const auto& [m, n] : {std::pair{1, 1}, {7, 65}, {130, 33}, {70, 4100}})
    for (const KernelKind kind : {KernelKind::rbf, KernelKind::exponential, KernelKind::cosine}) {
      const Matrix<double> X = random_matrix<double>(m, 5, 1), Y = random_matrix<double>(n, 5, 2);
      const Matrix<T> V = random_matrix<T>(n, 3, 3);
      const Kernel kernel{kind, 0.4};
      Matrix<double> out(m, 3);
      multiply_between<T>(Points(X.view()), Points(Y.view()), kernel, {all_rows(m), {}}, V, out, 2);
      const double error = (to_eigen(out) - dense_between(X, Y, kernel) * to_eigen(V)).cwiseAbs().maxCoeff();
      // Coordinates and sums are rounded: some units in the last place for each value.
      EXPECT_LT(error, 200 * double(std::numeric_limits<T>::epsilon()) * std::sqrt(double(n))) << m << " x " << n;
    }
}

TEST(RectangularProduct, DistancesWithinGroupsAreAccurateIfTheGroupsAreFarApart) {
  Matrix<double> X = random_matrix<double>(20, 3, 4), Y = random_matrix<double>(40, 3, 5);
  for (int64_t i = 0; i < 20; ++i) X(i, 0) += i % 2 == 0 ? 1e4 : 0;
  for (int64_t j = 0; j < 40; ++j) Y(j, 0) += j % 2 == 0 ? 1e4 : 0;
  const Matrix<double> V = random_matrix<double>(40, 2, 6);
  Matrix<double> out(20, 2);
  multiply_between<double>(Points(X.view()), Points(Y.view()), {KernelKind::rbf, 1}, {all_rows(20), {}}, V, out, 1);
  EXPECT_LT((to_eigen(out) - dense_between(X, Y, {KernelKind::rbf, 1}) * to_eigen(V)).cwiseAbs().maxCoeff(), 1e-10);
}

TEST(RectangularProduct, PairsOfTheListCountAsZero) {
  const Matrix<float> X = random_matrix<float>(100, 4, 7), V = random_matrix<float>(100, 2, 8);
  std::vector<int64_t> zero(100, -1), rows{30, 99, 2};
  zero[99] = 1;
  zero[30] = 0;
  Matrix<double> out(3, 2), with(3, 2);
  const Points points(X.view());
  multiply_between<float>(points, points, {KernelKind::rbf, 0.3}, {rows, zero}, V, out, 1);
  multiply_between<float>(points, points, {KernelKind::rbf, 0.3}, {rows, {}}, V, with, 1);
  for (int64_t c = 0; c < 2; ++c) {
    EXPECT_NEAR(with(0, c) - out(0, c), V(30, c), 1e-5);  // a(x, x) = 1
    EXPECT_NEAR(with(1, c) - out(1, c), V(99, c), 1e-5);
    EXPECT_EQ(with(2, c), out(2, c));
  }
}

TEST(RectangularProduct, ARowHasTheSameBitsForAnyChoiceOfOtherRows) {
  const Matrix<float> X = random_matrix<float>(300, 6, 9), Y = random_matrix<float>(500, 6, 10),
                      V = random_matrix<float>(500, 4, 11);
  Matrix<double> all(300, 4), one(1, 4);
  multiply_between<float>(Points(X.view()), Points(Y.view()), {KernelKind::rbf, 0.2}, {all_rows(300), {}}, V, all, 2);
  for (const int64_t i : {0, 17, 299}) {
    const std::vector<int64_t> row{i};
    multiply_between<float>(Points(X.view()), Points(Y.view()), {KernelKind::rbf, 0.2}, {row, {}}, V, one, 1);
    for (int64_t c = 0; c < 4; ++c) EXPECT_EQ(one(0, c), all(i, c));
  }
}

TEST(RectangularProduct, RejectsWrongShapesAndStopsOnRequest) {
  const Matrix<float> X = random_matrix<float>(10, 3, 12), Y = random_matrix<float>(10, 2, 13), V(10, 1), W(9, 1);
  Matrix<double> out(10, 1);
  EXPECT_THROW(multiply_between<float>(Points(X.view()), Points(Y.view()), {}, {all_rows(10), {}}, V, out, 1),
               InvalidInput);
  EXPECT_THROW(multiply_between<float>(Points(X.view()), Points(X.view()), {}, {all_rows(10), {}}, W, out, 1),
               InvalidInput);
  const std::atomic<bool> raised{true};
  EXPECT_THROW(
      multiply_between<float>(Points(X.view()), Points(X.view()), {}, {all_rows(10), {}}, V, out, 1, StopToken(raised)),
      Stopped);
}

}  // namespace
}  // namespace mbsc
