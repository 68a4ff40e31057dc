// SPDX-License-Identifier: Apache-2.0
// Solvers on kernel values that were kept in 16 bits.
#include <gtest/gtest.h>

#include "mbsc/affinity/kernel_affinity.h"
#include "mbsc/affinity/normalized.h"
#include "mbsc/solvers/solver.h"
#include "tests/affinity/dense_oracle.h"

namespace mbsc {
namespace {

using testing::random_matrix;

TEST(Exact, FromKeptValuesReachesATightToleranceAllTheSame) {
  constexpr int64_t n = 431;
  const Matrix<float> X = random_matrix<float>(n, 5, 1);
  KernelAffinity<float> A(Points(X.view()), Kernel{KernelKind::rbf, 0.3}, RowSpace(n, 2));
  A.keep_values(int64_t{1} << 30);
  const Normalized<float> L(A, A.degrees({}), 0);
  SolverOptions options;
  options.clusters = 3;
  options.tolerance = 1e-5;
  const auto pairs = solve_exact<float>(L, options, {});
  EXPECT_EQ(pairs.status, Status::converged);
  for (const double residual : pairs.residuals) EXPECT_LE(residual, 1e-5);
  // A loose one needs the certificate alone beside what is kept.
  options.tolerance = 3e-3;
  const int64_t before = A.kernel_values();
  EXPECT_EQ(solve_exact<float>(L, options, {}).status, Status::converged);
  EXPECT_LE(A.kernel_values() - before, n * n);
}

TEST(Minibatch, ResidualsStayBoundsWhereValuesAreKept) {
  constexpr int64_t n = 1500;
  const Matrix<float> X = random_matrix<float>(n, 5, 1);
  KernelAffinity<float> A(Points(X.view()), Kernel{KernelKind::rbf, 0.3}, RowSpace(n, 2));
  A.keep_values(int64_t{1} << 30);
  const Normalized<float> L(A, A.degrees({}), 0);
  SolverOptions options;
  options.clusters = 3;
  options.passes = 4;
  const auto pairs = solve_minibatch<float>(L, options, {});
  ASSERT_TRUE(pairs.residuals_are_bounds);
  Matrix<float> image(n, 3);
  L.multiply_anew(pairs.vectors, image, {});
  for (int64_t c = 0; c < 3; ++c) {
    double square = 0;
    for (int64_t i = 0; i < n; ++i)
      square += std::pow(double(image(i, c)) - pairs.values[size_t(c)] * double(pairs.vectors(i, c)), 2);
    EXPECT_LE(std::sqrt(square), pairs.residuals[size_t(c)]);
  }
}

}  // namespace
}  // namespace mbsc
