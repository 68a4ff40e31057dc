// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "mbsc/cluster.h"
#include "mbsc/solvers/krylov/exact.h"
#include "tests/solvers/dense_problem.h"

namespace mbsc {
namespace {

using Eigen::MatrixXd;
using testing::clouds;
using testing::DenseProblem;
using testing::departure;
using testing::random_matrix;
using testing::to_eigen;

/// An affinity whose full product number `at` (counted from 1) throws Stopped.
template <class T>
class Interrupted final : public Affinity<T> {
 public:
  Interrupted(const Affinity<T>& affinity, int at) : Affinity<T>(affinity.rows()), affinity_(affinity), at_(at) {}
  void multiply_columns(std::span<const int64_t> columns, MatrixView<const T> C, MatrixView<T> out,
                        const StopToken& stop) const override {
    affinity_.multiply_columns(columns, C, out, stop);
  }
  void multiply(MatrixView<const T> V, MatrixView<T> out, const StopToken& stop) const override {
    if (++products_ == at_) throw Stopped();
    affinity_.multiply(V, out, stop);
  }
  std::unique_ptr<const ColumnBlock<T>> take_columns(std::span<const int64_t> columns) const override {
    return affinity_.take_columns(columns);
  }
  void evaluate_square(std::span<const int64_t> points, MatrixView<T> out) const override {
    affinity_.evaluate_square(points, out);
  }
  Degrees degrees(const StopToken& stop, const std::function<void(double)>& progress,
                  int64_t neighbors) const override {
    return affinity_.degrees(stop, progress, neighbors);
  }
  double self_similarity() const override { return affinity_.self_similarity(); }

 private:
  const Affinity<T>& affinity_;
  int at_;
  mutable int products_ = 0;
};

template <class T>
struct Accuracy {
  static constexpr double tolerance = sizeof(T) == 4 ? 1e-5 : 1e-10;
  /// The difference, by rounding, between a residual computed in T and one computed in double.
  static constexpr double rounding = sizeof(T) == 4 ? 2e-6 : 1e-13;
};

/// Checks what holds for every certified result.
template <class T>
void expect_sound(const DenseProblem<T>& p, const EigenPairs<T>& pairs, int64_t k) {
  ASSERT_EQ(int64_t(pairs.values.size()), k);
  ASSERT_EQ(int64_t(pairs.residuals.size()), k);
  EXPECT_TRUE(pairs.values_are_exact);
  const MatrixXd W = to_eigen(pairs.vectors);
  EXPECT_LT(departure(W), sizeof(T) == 4 ? 1e-6 : 1e-13);
  for (int64_t j = 0; j < k; ++j) {
    EXPECT_NEAR(pairs.residuals[size_t(j)], p.residual(W.col(j), pairs.values[size_t(j)]), Accuracy<T>::rounding);
    if (j > 0) {
      EXPECT_GE(pairs.values[size_t(j - 1)], pairs.values[size_t(j)]);
    }
  }
  EXPECT_EQ(pairs.columns_evaluated, pairs.full_products * p.n());
}

template <class T>
class ExactOf : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(ExactOf, Scalars);

TYPED_TEST(ExactOf, AllEigenpairsOfSmallMatricesAreFound) {
  using T = TypeParam;
  for (const int64_t n : {2, 3, 5, 17, 40}) {
    const DenseProblem<T> p(random_matrix<T>(n, 2, uint64_t(n)), 0.5);
    for (const int64_t k : {int64_t{1}, n / 2, n - 1, n}) {
      ClusterOptions options;
      options.clusters = k;
      const EigenPairs<T> pairs = solve_exact<T>(p.L, options);
      EXPECT_EQ(pairs.status, Status::converged) << n << ", " << k;
      expect_sound(p, pairs, k);
      // For a symmetric matrix, the error of an eigenvalue is at most the residual.
      for (int64_t j = 0; j < k; ++j)
        EXPECT_NEAR(pairs.values[size_t(j)], p.values[j], Accuracy<T>::tolerance) << n << ", " << k << ", " << j;
    }
  }
}

TYPED_TEST(ExactOf, LeadingSubspaceAgreesWithTheDenseOneForEverySeed) {
  using T = TypeParam;
  const DenseProblem<T> p(clouds<T>(300, 4, 4.0, 1), 0.5);
  for (uint64_t seed = 0; seed < 5; ++seed) {
    ClusterOptions options;
    options.clusters = 4;
    options.seed = seed;
    const EigenPairs<T> pairs = solve_exact<T>(p.L, options);
    EXPECT_EQ(pairs.status, Status::converged);
    expect_sound(p, pairs, 4);
    // For each vector, sine <= residual / gap.
    EXPECT_LT(p.error(to_eigen(pairs.vectors), 4), Accuracy<T>::tolerance * 2 / (p.values[3] - p.values[4]));
  }
}

TYPED_TEST(ExactOf, ASmallBasisRestartsAndConvergesToTheSame) {
  using T = TypeParam;
  const DenseProblem<T> p(clouds<T>(400, 6, 2.5, 2), 0.5);
  ClusterOptions options;
  options.clusters = 6;
  const EigenPairs<T> roomy = solve_exact<T>(p.L, options);
  for (const int64_t block : {2, 6, 10}) {
    options.block_size = block;
    options.exact.basis_size = 6 + 2 * block;  // the smallest allowed
    const EigenPairs<T> tight = solve_exact<T>(p.L, options);
    EXPECT_EQ(tight.status, Status::converged) << block;
    expect_sound(p, tight, 6);
    EXPECT_GE(tight.full_products * block, *options.exact.basis_size) << "did not restart";
    for (size_t j = 0; j < 6; ++j) EXPECT_NEAR(tight.values[j], roomy.values[j], 2 * Accuracy<T>::tolerance);
    EXPECT_LT(p.error(to_eigen(tight.vectors), 6), Accuracy<T>::tolerance * 2 / (p.values[5] - p.values[6]));
  }
}

TYPED_TEST(ExactOf, ABudgetEndsItWithACertifiedResult) {
  using T = TypeParam;
  const DenseProblem<T> p(clouds<T>(300, 4, 2.0, 3), 0.5);
  ClusterOptions options;
  options.clusters = 4;
  options.limits.tolerance = 1e-12;
  double before = 10;
  for (const double passes : {2.0, 4.0, 8.0}) {
    options.limits.passes = passes;
    const EigenPairs<T> pairs = solve_exact<T>(p.L, options);
    EXPECT_EQ(pairs.status, Status::budget) << passes;
    EXPECT_EQ(pairs.columns_evaluated, int64_t(passes) * 300);
    expect_sound(p, pairs, 4);
    const double residual = *std::max_element(pairs.residuals.begin(), pairs.residuals.end());
    EXPECT_LT(residual, before);
    before = residual;
  }
  options.limits.passes.reset();
  options.limits.iterations = 2;
  EXPECT_EQ(solve_exact<T>(p.L, options).iterations, 2);
}

TYPED_TEST(ExactOf, AToleranceOutOfReachStallsInsteadOfGoingOnForEver) {
  using T = TypeParam;
  const DenseProblem<T> p(clouds<T>(300, 4, 4.0, 4), 0.5);
  ClusterOptions options;
  options.clusters = 4;
  options.limits.tolerance = 1e-30;
  const EigenPairs<T> pairs = solve_exact<T>(p.L, options);
  EXPECT_EQ(pairs.status, Status::stalled);
  expect_sound(p, pairs, 4);
  EXPECT_LT(pairs.residuals[3], sizeof(T) == 4 ? 1e-5 : 1e-13);
}

TYPED_TEST(ExactOf, InterruptedInAnyProductItReturnsRitzPairsOfWhatItHas) {
  using T = TypeParam;
  const DenseProblem<T> p(clouds<T>(300, 6, 2.5, 5), 0.5);
  ClusterOptions options;
  options.clusters = 6;
  options.block_size = 3;
  options.exact.basis_size = 12;  // restarts every few products
  for (int at = 1; at <= 20; ++at) {
    const Interrupted<T> affinity(p.A, at);
    const Normalized<T> L(affinity, p.A.degrees({}).sum, 0);
    const EigenPairs<T> pairs = solve_exact<T>(L, options);
    ASSERT_EQ(pairs.status, Status::stopped) << at;
    const MatrixXd W = to_eigen(pairs.vectors);
    ASSERT_EQ(W.cols(), 6);
    EXPECT_LT(departure(W), sizeof(T) == 4 ? 1e-6 : 1e-13) << at;
    if (at < 3) continue;  // fewer columns than pairs: the basis is random, without values
    for (int64_t j = 0; j < 6; ++j)
      EXPECT_NEAR(pairs.values[size_t(j)], W.col(j).dot(p.dense * W.col(j)), sizeof(T) == 4 ? 1e-5 : 1e-12) << at;
  }
}

TYPED_TEST(ExactOf, AnObserverEndsIt) {
  using T = TypeParam;
  const DenseProblem<T> p(clouds<T>(200, 3, 2.0, 6), 0.5);
  ClusterOptions options;
  options.clusters = 3;
  options.limits.tolerance = 1e-12;
  const EigenPairs<T> pairs =
      solve_exact<T>(p.L, options, [](const Progress<T>& progress) { return progress.iteration < 2; });
  EXPECT_EQ(pairs.status, Status::stopped);
  EXPECT_EQ(pairs.iterations, 2);
  EXPECT_TRUE(pairs.residuals.empty());
  EXPECT_LT(departure(to_eigen(pairs.vectors)), 1e-6);
}

TEST(Exact, HasTheSameBitsForAnyNumberOfThreads) {
  const Matrix<float> X = clouds<float>(500, 4, 3.0, 7);
  ClusterOptions options;
  options.clusters = 4;
  const EigenPairs<float> one = solve_exact<float>(DenseProblem<float>(X, 0.5).L, options);
  for (const int threads : {2, 3}) {
    const KernelAffinity<float> A(Points(X.view()), {KernelKind::rbf, 0.5}, RowSpace(500, threads));
    const EigenPairs<float> pairs = solve_exact<float>(Normalized<float>(A, A.degrees({}).sum, 0), options);
    EXPECT_TRUE(std::equal(one.vectors.data(), one.vectors.data() + one.vectors.size(), pairs.vectors.data()));
    EXPECT_EQ(one.values, pairs.values);
    EXPECT_EQ(one.residuals, pairs.residuals);
  }
}

TEST(Exact, BadSizesAreRefused) {
  const DenseProblem<float> p(clouds<float>(50, 2, 3.0, 8), 0.5);
  const InputShape shape{50, 2};
  ClusterOptions options;
  options.method = "exact";
  options.clusters = 3;
  for (const int64_t bad : {-1, 0, 51}) {
    options.block_size = bad;
    EXPECT_THROW(resolve(shape, options), InvalidInput) << bad;
  }
  options.block_size = 4;
  options.exact.basis_size = 10;  // the smallest allowed is 3 + 2 * 4
  EXPECT_THROW(resolve(shape, options), InvalidInput);
  EXPECT_THROW(solve_exact<float>(p.L, options), InvalidInput);
  options.exact.basis_size = 11;
  EXPECT_NO_THROW(resolve(shape, options));
  options = {};
  for (const int64_t k : {int64_t{0}, int64_t{51}}) {
    options.clusters = k;
    for (const char* method : {"minibatch", "nystrom", "power", "exact"}) {
      options.method = method;
      EXPECT_THROW(resolve(shape, options), InvalidInput) << method << ", " << k;
    }
  }
}

}  // namespace
}  // namespace mbsc
