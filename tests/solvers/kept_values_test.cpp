// SPDX-License-Identifier: Apache-2.0
// Solvers with kernel values that are cached in 16 bits.
#include <gtest/gtest.h>

#include "mbsc/affinity/kernel/kernel_affinity.h"
#include "mbsc/affinity/normalized.h"
#include "mbsc/solvers/krylov/exact.h"
#include "mbsc/solvers/minibatch/minibatch.h"
#include "tests/affinity/dense_oracle.h"

namespace mbsc {
namespace {

/// L of random points, with all kernel values in the cache.
struct KeptProblem {
  explicit KeptProblem(int64_t n)
      : X(testing::random_matrix<float>(n, 5, 1)),
        A(Points(X.view()), Kernel{KernelKind::rbf, 0.3}, RowSpace(n, 2)),
        L(A, degrees(), 0) {}
  Degrees degrees() {
    A.keep_values(int64_t{1} << 30);
    return A.degrees({});
  }
  Matrix<float> X;
  KernelAffinity<float> A;
  Normalized<float> L;
};

TEST(Exact, FromKeptValuesReachesATightToleranceAllTheSame) {
  constexpr int64_t n = 431;
  const KeptProblem p(n);
  ClusterOptions options;
  options.clusters = 3;
  options.limits.tolerance = 1e-5;
  const auto pairs = solve_exact<float>(p.L, options, {});
  EXPECT_EQ(pairs.status, Status::converged);
  for (const double residual : pairs.residuals) EXPECT_LE(residual, 1e-5);
  // With a loose tolerance, only the certificate evaluates values again.
  options.limits.tolerance = 3e-3;
  const int64_t before = p.A.kernel_values();
  EXPECT_EQ(solve_exact<float>(p.L, options, {}).status, Status::converged);
  EXPECT_LE(p.A.kernel_values() - before, n * n);
}

TEST(Minibatch, ResidualsStayBoundsWhereValuesAreKept) {
  constexpr int64_t n = 1500;
  const KeptProblem p(n);
  ClusterOptions options;
  options.clusters = 3;
  options.limits.passes = 4;
  const auto pairs = solve_minibatch<float>(p.L, options, {});
  ASSERT_TRUE(pairs.residuals_are_bounds);
  Matrix<float> image(n, 3);
  p.L.multiply_anew(pairs.vectors, image, {});
  for (int64_t c = 0; c < 3; ++c) {
    double square = 0;
    for (int64_t i = 0; i < n; ++i)
      square += std::pow(double(image(i, c)) - pairs.values[size_t(c)] * double(pairs.vectors(i, c)), 2);
    EXPECT_LE(std::sqrt(square), pairs.residuals[size_t(c)]);
  }
}

}  // namespace
}  // namespace mbsc
