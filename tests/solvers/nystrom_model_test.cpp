// SPDX-License-Identifier: Apache-2.0
#include "mbsc/solvers/minibatch/nystrom_model.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numeric>

#include "mbsc/affinity/degrees/sampled_degrees.h"
#include "mbsc/solvers/minibatch/importance.h"
#include "mbsc/solvers/rayleigh_ritz.h"
#include "tests/solvers/ritz_problem.h"

namespace mbsc {
namespace {

using Eigen::MatrixXd;
using testing::clouds;
using testing::DenseProblem;
using testing::k;
using testing::n;
using testing::problem;
using testing::to_eigen;

constexpr uint64_t seed = 3;

TEST(NystromModel, HasTheRowSumsOfLWhereDegreesAreExact) {
  for (const double regularization : {0.0, 0.1}) {
    const DenseProblem<double> p(clouds<double>(n, 3, 5.0, 1), 0.5, regularization);
    const NystromModel<double> model(p.L, important_columns(p.L, 60, true, 1), 20, {});
    Matrix<double> u(n, 1), image(n, 1);
    for (int64_t i = 0; i < n; ++i) u(i, 0) = 1 / p.L.inverse_root_degree(i);
    model.multiply(u, image);
    for (int64_t i = 0; i < n; ++i) EXPECT_NEAR(image(i, 0), u(i, 0), 1e-10 * u(i, 0));
    // With sampled degrees L u = u does not hold, and the model must not assume it.
    const Normalized<double> rough = p.L.with(sample_degrees(p.A, 100, 5, {}).degrees);
    const NystromModel<double> rough_model(rough, important_columns(rough, 60, true, 1), 20, {});
    for (int64_t i = 0; i < n; ++i) u(i, 0) = 1 / rough.inverse_root_degree(i);
    rough_model.multiply(u, image);
    EXPECT_GT((to_eigen(image) - to_eigen(u)).norm(), 1e-3 * to_eigen(u).norm());
  }
}

TEST(NystromModel, PointsThatNoLandmarkKnowsAreNoEigenvectors) {
  Matrix<double> X = clouds<double>(n, 2, 3.0, 1);
  for (int64_t i = 0; i < 20; ++i) X(i, 0) = 40 + 5 * double(i / 2), X(i, 1) = 40 + double(i % 2);  // ten distant pairs
  const KernelAffinity<double> affinity(Points(X.view()), {KernelKind::rbf, 0.5}, RowSpace(n, 2));
  const Normalized<double> L(affinity, affinity.degrees({}), 0.01);
  std::vector<int64_t> landmarks;
  for (int64_t j = 20; j < n; j += 10) landmarks.push_back(j);
  NystromModel<double> model(L, landmarks, 40, {});
  const Matrix<double> W = model.leading(6, seed);
  Matrix<double> unit(n, 20), image(n, 20);
  for (int64_t i = 0; i < 20; ++i) unit(i, i) = 1;
  model.multiply(unit, image);
  for (int64_t i = 0; i < 20; ++i) {
    EXPECT_LT(to_eigen(W).row(i).norm(), 0.1);
    EXPECT_LT(image(i, i), 0.5) << "their whole row, 1, would be on the diagonal";
  }
}

TEST(NystromModel, RescaledToBetterDegreesItModelsTheBetterMatrix) {
  const DenseProblem<double> p(clouds<double>(n, 3, 5.0, 1), 0.5, 0.1);
  const Normalized<double> rough = p.L.with(sample_degrees(p.A, 100, 5, {}).degrees);
  std::vector<int64_t> all(n);
  std::iota(all.begin(), all.end(), int64_t{0});
  NystromModel<double> model(rough, all, n, {});
  const Matrix<double> W = random_basis(p.L, 4, seed);
  Matrix<double> image(n, 4), sampled(n, 4), flat(n, 4);
  const MatrixXd exact = p.dense * to_eigen(W);
  p.L.add_exact(W, flat);
  const MatrixXd exact_sampled = exact - to_eigen(flat);
  model.multiply_sampled(W, sampled);
  EXPECT_GT((to_eigen(sampled) - exact_sampled).norm(), 1e-2 * exact_sampled.norm());
  model.rescale(Rescaling<double>(rough, p.L));
  model.multiply_sampled(W, sampled);
  EXPECT_LT((to_eigen(sampled) - exact_sampled).norm(), 1e-3 * exact_sampled.norm());
}

TEST(NystromModel, TakesOutTheDiagonalOfARegularizedKernel) {
  const DenseProblem<double> p(clouds<double>(n, 3, 5.0, 1), 0.5, 0.1);
  std::vector<int64_t> all(n);
  std::iota(all.begin(), all.end(), int64_t{0});
  const NystromModel<double> model(p.L, all, n, {});
  const Matrix<double> W = random_basis(p.L, 4, seed);
  Matrix<double> image(n, 4);
  model.multiply(W, image);
  const MatrixXd exact = p.dense * to_eigen(W);
  EXPECT_LT((to_eigen(image) - exact).norm(), 1e-3 * exact.norm());
}

TEST(NystromModel, SaysNothingOfPointsOfTinyDegree) {
  Matrix<double> X = clouds<double>(n, 2, 3.0, 1);
  X(0, 0) = 60, X(1, 0) = 65;  // a(x_0, x_1) = exp(-12.5)
  X(0, 1) = X(1, 1) = 60;
  const KernelAffinity<double> affinity(Points(X.view()), {KernelKind::rbf, 0.5}, RowSpace(n, 2));
  const Normalized<double> L(affinity, affinity.degrees({}), 0);
  const NystromModel<double> model(L, important_columns(L, 60, true, 1), 20, {});
  const Matrix<double> W = random_basis(L, 4, seed);
  Matrix<double> image(n, 4);
  model.multiply_sampled(W, image);
  for (int64_t c = 0; c < 4; ++c) {
    EXPECT_EQ(image(0, c), 0);
    EXPECT_EQ(image(1, c), 0);
    EXPECT_NE(image(2, c), 0);
  }
}

TEST(NystromModel, IsLWithAllPointsAsLandmarksAndItsVectorsAreThoseOfL) {
  std::vector<int64_t> all(n);
  std::iota(all.begin(), all.end(), int64_t{0});
  NystromModel<double> model(problem().L, all, n, {});
  const Matrix<double> W = model.leading(6, seed);
  const double error = problem().error(to_eigen(W).leftCols(k), k);
  fmt::print("model of all points: error {:.1e}\n", error);
  EXPECT_LT(error, 1e-3);
}

}  // namespace
}  // namespace mbsc
