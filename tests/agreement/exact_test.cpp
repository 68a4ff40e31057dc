// SPDX-License-Identifier: Apache-2.0
// Compares the exact solver with dense LAPACK, on problems that are difficult for eigensolvers.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "mbsc/affinity/kernel/kernel_affinity.h"
#include "mbsc/solvers/krylov/exact.h"
#include "tests/affinity/dense_oracle.h"
#include "tests/oracle/dense_algebra.h"

namespace mbsc {
namespace {

using Eigen::MatrixXd;
using testing::DenseEigen;
using testing::to_eigen;

struct Problem {
  std::string name;
  Matrix<double> points;
  double gamma;
};

/// A problem of one of ten difficult kinds (0 to 9).
Problem make_problem(int kind, uint64_t seed) {
  const Random random(seed * 100 + uint64_t(kind), Stream::test);
  const int64_t n = 60 + random.below(900, 1), d = 1 + random.below(6, 2);
  Problem p{"", Matrix<double>(n, d), 1};
  const auto blob = [&](int64_t i, double center, double spread) {
    for (int64_t f = 0; f < d; ++f) p.points(i, f) = (f == 0 ? center : 0) + spread * random.normal(i, 10 + f);
  };
  switch (kind) {
    case 0:
      p.name = "one cloud";
      for (int64_t i = 0; i < n; ++i) blob(i, 0, 1);
      break;
    case 1:
      p.name = "narrow kernel";
      p.gamma = 4;
      for (int64_t i = 0; i < n; ++i) blob(i, 0, 1);
      break;
    case 2:
      p.name = "disconnected blocks: eigenvalue 1 three times";
      for (int64_t i = 0; i < n; ++i) blob(i, 1000.0 * double(i % 3), 1);
      break;
    case 3:
      p.name = "two equal blocks far apart: every eigenvalue twice";
      for (int64_t i = 0; i < n / 2; ++i) {
        blob(i, 0, 1);
        for (int64_t f = 0; f < d; ++f) p.points(i + n / 2, f) = p.points(i, f) + (f == 0 ? 4096 : 0);
      }
      if (n % 2) blob(n - 1, 0, 1);
      break;
    case 4:
      p.name = "duplicates: each point four times";
      for (int64_t i = 0; i < n; ++i)
        for (int64_t f = 0; f < d; ++f) p.points(i, f) = random.normal(i / 4, 10 + f);
      break;
    case 5:
      p.name = "near-isolated pairs: tiny degrees";
      for (int64_t i = 0; i < n; ++i) blob(i, i < 8 ? 100 + 20.0 * double(i / 2) : 0, 1);
      p.gamma = 0.5;
      break;
    case 6:
      p.name = "isolated points: zero rows";
      for (int64_t i = 0; i < n; ++i) blob(i, i < 5 ? 1e4 * double(i + 1) : 0, 1);
      break;
    case 7:
      p.name = "clusters";
      for (int64_t i = 0; i < n; ++i) blob(i, 5.0 * double(i % 5), 1);
      break;
    case 8:
      p.name = "a lattice: repeated eigenvalues by symmetry";
      for (int64_t i = 0; i < n; ++i)
        for (int64_t f = 0; f < d; ++f) p.points(i, f) = f == 0 ? double(i % 8) : f == 1 ? double(i / 8 % 8) : 0;
      p.gamma = 0.2;
      break;
    default:
      p.name = "wide kernel: all but the first eigenvalue small";
      p.gamma = 0.01;
      for (int64_t i = 0; i < n; ++i) blob(i, 0, 1);
  }
  return p;
}

template <class T>
Matrix<T> as(const Matrix<double>& X) {
  Matrix<T> out(X.rows(), X.cols());
  for (int64_t i = 0; i < X.size(); ++i) out.data()[i] = T(X.data()[i]);
  return out;
}

/// All eigenpairs of the dense normalized matrix.
DenseEigen dense_eigen(const Points& points, double gamma) {
  const MatrixXd A = testing::dense_affinity(points, {KernelKind::rbf, gamma});
  // The float tile returns zero for values below 2^-126. The oracle must do the same.
  return testing::dense_eigen(testing::normalized(A.unaryExpr([](double a) { return a < 0x1p-126 ? 0.0 : a; })));
}

template <class T>
void check_against_lapack(double tolerance, double bound) {
  int problems = 0;
  for (int kind = 0; kind < 10; ++kind)
    for (uint64_t seed = 0; seed < 6; ++seed) {
      const Problem problem = make_problem(kind, seed);
      const Matrix<T> X = as<T>(problem.points);
      const Points points(X.view());
      const DenseEigen dense = dense_eigen(points, problem.gamma);
      const int64_t k = testing::k_at_gap(dense.values, 25);
      const double gap = dense.values[k - 1] - dense.values[k];
      const KernelAffinity<T> A(points, {KernelKind::rbf, problem.gamma}, RowSpace(X.rows(), 1));
      const Normalized<T> L(A, A.degrees({}).sum, 0);
      ClusterOptions options;
      options.clusters = k;
      options.limits.tolerance = tolerance;
      options.seed = seed;
      const EigenPairs<T> pairs = solve_exact(L, options);
      const double sine = testing::largest_sine(dense.vectors.leftCols(k), to_eigen(pairs.vectors));
      const std::string what = problem.name + ", n = " + std::to_string(X.rows()) +
                               ", d = " + std::to_string(X.cols()) + ", k = " + std::to_string(k) +
                               ", gap = " + std::to_string(gap) + ", passes = " + std::to_string(pairs.full_products) +
                               ", " + to_string(pairs.status) + ", sine = " + fmt::format("{:.2e}", sine);
      EXPECT_LE(sine * gap, bound) << what;
      for (int64_t j = 0; j < k; ++j) EXPECT_NEAR(pairs.values[j], dense.values[j], bound) << what << ", pair " << j;
      ++problems;
    }
  EXPECT_GE(problems, 50);
}

TEST(Exact, AgreesWithLapackInFloat) { check_against_lapack<float>(3e-7, 1e-6); }
TEST(Exact, AgreesWithLapackInDouble) { check_against_lapack<double>(1e-12, 1e-11); }

}  // namespace
}  // namespace mbsc
