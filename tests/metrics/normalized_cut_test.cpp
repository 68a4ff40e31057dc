// SPDX-License-Identifier: Apache-2.0
#include "mbsc/metrics/normalized_cut.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "mbsc/metrics.h"
#include "tests/affinity/dense_oracle.h"

namespace mbsc {
namespace {

using testing::dense_affinity;
using testing::random_matrix;

/// sum_c cut(c, rest) / vol(c), entry by entry. Rows with a negative label belong to no cluster, but to the rest of
/// each cluster.
double brute_force(const Eigen::MatrixXd& A, const std::vector<int32_t>& labels, int32_t clusters) {
  double sum = 0;
  for (int32_t c = 0; c < clusters; ++c) {
    double cut = 0, volume = 0;
    for (int64_t i = 0; i < A.rows(); ++i)
      for (int64_t j = 0; j < A.rows() && labels[size_t(i)] == c; ++j) {
        volume += A(i, j);
        if (labels[size_t(j)] != c) cut += A(i, j);
      }
    sum += cut / volume;
  }
  return sum;
}

std::vector<int32_t> random_labels(int64_t n, int64_t clusters, uint64_t seed) {
  const Random random(seed, Stream::test);
  std::vector<int32_t> labels(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) labels[size_t(i)] = int32_t(random.below(clusters, uint64_t(i), 99));
  return labels;
}

/// Estimates the cut with many seeds, and checks that the mean of the estimates is the exact cut. `columns` is the
/// expected number of sampled columns. Returns the ratio of the claimed standard error to the true one.
template <class T>
double claimed_over_true(const Affinity<T>& A, std::span<const double> degrees, const std::vector<int32_t>& labels,
                         int64_t clusters, int seeds, int64_t columns) {
  const double exact = normalized_cut<T>(A, degrees, labels, clusters, {});
  double sum = 0, squares = 0, claimed = 0;
  for (int seed = 0; seed < seeds; ++seed) {
    const CutEstimate e = estimate_normalized_cut<T>(A, degrees, labels, clusters, uint64_t(seed), {});
    EXPECT_EQ(e.columns, columns);
    sum += e.value - exact;
    squares += (e.value - exact) * (e.value - exact);
    claimed += e.standard_error * e.standard_error;
  }
  const double z = sum / std::sqrt(squares), ratio = std::sqrt(claimed / squares);
  fmt::print("cut {:.4f}: z of the mean {:.2f}, claimed / true standard error {:.3f}\n", exact, z, ratio);
  EXPECT_LT(std::abs(z), 4);
  return ratio;
}

template <class T>
class NormalizedCutOf : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(NormalizedCutOf, Scalars);

TYPED_TEST(NormalizedCutOf, EqualsBruteForce) {
  using T = TypeParam;
  for (const int32_t clusters : {1, 2, 5}) {
    const int64_t n = 150;
    const Matrix<T> X = random_matrix<T>(n, 3, 1);
    const Kernel kernel{KernelKind::rbf, 0.5};
    const KernelAffinity<T> A(Points(X.view()), kernel, RowSpace(n, 1));
    std::vector<int32_t> labels = random_labels(n, clusters, 2);
    const Eigen::MatrixXd dense = dense_affinity(Points(X.view()), kernel);
    const std::vector<double> degrees = A.degrees({}).sum;
    // Each of the k terms has n relative errors of a few eps.
    const double bound = sizeof(T) == 4 ? 1e-5 : 1e-13;
    EXPECT_NEAR(normalized_cut<T>(A, degrees, labels, clusters, {}), brute_force(dense, labels, clusters), bound);
    EXPECT_NEAR(normalized_cut<T>(A, {}, labels, clusters, {}), brute_force(dense, labels, clusters), bound);
    labels[3] = labels[77] = -1;
    EXPECT_NEAR(normalized_cut<T>(A, degrees, labels, clusters, {}), brute_force(dense, labels, clusters), bound);
    EXPECT_NEAR(normalized_cut<T>(A, {}, labels, clusters, {}), brute_force(dense, labels, clusters), bound);
  }
}

TYPED_TEST(NormalizedCutOf, IsZeroForOneClusterAndForClustersThatDoNotTouch) {
  using T = TypeParam;
  Matrix<T> X = random_matrix<T>(100, 2, 3);
  std::vector<int32_t> labels(100);
  for (int64_t i = 0; i < 100; ++i) {
    labels[size_t(i)] = int32_t(i % 2);
    X(i, 0) += T(1000 * (i % 2));
  }
  const KernelAffinity<T> A(Points(X.view()), {KernelKind::rbf, 0.5}, RowSpace(100, 1));
  const std::vector<double> degrees = A.degrees({}).sum;
  const double bound = sizeof(T) == 4 ? 1e-5 : 1e-13;
  EXPECT_NEAR(normalized_cut<T>(A, degrees, labels, 2, {}), 0, bound);
  EXPECT_NEAR(normalized_cut<T>(A, degrees, std::vector<int32_t>(100), 1, {}), 0, bound);
  const CutEstimate estimate = estimate_normalized_cut<T>(A, degrees, labels, 2, 1, {});
  EXPECT_NEAR(estimate.value, 0, bound) << "whatever columns are drawn";
  EXPECT_LT(estimate.standard_error, bound);
}

TYPED_TEST(NormalizedCutOf, EstimateIsUnbiasedAndItsStandardErrorTrue) {
  using T = TypeParam;
  const int64_t n = 400, clusters = 3;
  const int seeds = 400;
  const Matrix<T> X = random_matrix<T>(n, 2, 4);
  const KernelAffinity<T> A(Points(X.view()), {KernelKind::rbf, 0.5}, RowSpace(n, 1));
  const std::vector<int32_t> labels = random_labels(n, clusters, 5);
  const std::vector<double> degrees = A.degrees({}).sum;
  const double ratio = claimed_over_true<T>(A, degrees, labels, clusters, seeds, 20);
  // 20 of 400 columns are drawn without replacement, so the claimed error is 2.5 % too large. The ratio of two sums of
  // 400 squares has an error of about sqrt(2/400 + 2/(400 * 19)) / 2 = 4 %. The bound is three times this error.
  EXPECT_NEAR(ratio, 1.025, 0.12);
}

TYPED_TEST(NormalizedCutOf, EstimateWithoutDegreesIsNearAndItsStandardErrorTrue) {
  using T = TypeParam;
  const int64_t n = 4000, clusters = 2;  // 20 groups of 10 columns
  const int seeds = 100;
  const Matrix<T> X = random_matrix<T>(n, 2, 8);
  std::vector<int32_t> labels(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) labels[size_t(i)] = X(i, 0) > 0 ? 1 : 0;
  const KernelAffinity<T> A(Points(X.view()), {KernelKind::rbf, 2}, RowSpace(n, 1));
  const double ratio = claimed_over_true<T>(A, {}, labels, clusters, seeds, 200);
  // The ratio has an error of about sqrt(2/100)/2 = 7 %. The bound is three times this error. The claimed error is
  // 2.5 % too large, because the columns are drawn without replacement.
  EXPECT_NEAR(ratio, 1.025, 0.22);
}

TYPED_TEST(NormalizedCutOf, EstimateFromAllColumnsIsExact) {
  using T = TypeParam;
  const int64_t n = 15;  // fewer than 20 groups: every column is used once
  const Matrix<T> X = random_matrix<T>(n, 2, 6);
  const KernelAffinity<T> A(Points(X.view()), {KernelKind::rbf, 0.5}, RowSpace(n, 1));
  const std::vector<int32_t> labels = random_labels(n, 2, 7);
  const std::vector<double> degrees = A.degrees({}).sum;
  const CutEstimate e = estimate_normalized_cut<T>(A, degrees, labels, 2, 0, {});
  EXPECT_EQ(e.columns, n);
  EXPECT_NEAR(e.value, normalized_cut<T>(A, degrees, labels, 2, {}), sizeof(T) == 4 ? 1e-5 : 1e-13);
  EXPECT_NEAR(estimate_normalized_cut<T>(A, {}, labels, 2, 0, {}).value, e.value, sizeof(T) == 4 ? 1e-5 : 1e-13);
}

TEST(NormalizedCut, OfAnInputEqualsBruteForceForEveryAffinity) {
  const int64_t n = 150;
  const Matrix<double> X = random_matrix<double>(n, 3, 9);
  std::vector<int32_t> labels = random_labels(n, 3, 4);
  labels[5] = -1;  // belongs to no cluster
  ClusterOptions options;
  options.threads = 2;
  for (const AffinityKind kind : {AffinityKind::rbf, AffinityKind::exponential, AffinityKind::cosine}) {
    options.affinity = kind;
    options.gamma.reset();
    if (kind != AffinityKind::cosine) options.gamma = 0.7;
    const KernelKind kernel = kind == AffinityKind::rbf           ? KernelKind::rbf
                              : kind == AffinityKind::exponential ? KernelKind::exponential
                                                                  : KernelKind::cosine;
    const Eigen::MatrixXd A = dense_affinity(Points(X.view()), {kernel, 0.7});
    const double exact = brute_force(A, labels, 3);
    EXPECT_NEAR(normalized_cut(Points(X.view()), labels, options), exact, 1e-5 * exact) << int(kind);
    Matrix<double> stored(n, n);
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < n; ++j) stored(i, j) = A(i, j);
    ClusterOptions of_matrix;
    of_matrix.threads = 2;
    EXPECT_NEAR(normalized_cut(Input::matrix(Points(stored.view())), labels, of_matrix), exact, 1e-5 * exact);
  }
  labels.pop_back();
  EXPECT_THROW(normalized_cut(Points(X.view()), labels, options), InvalidInput);
}

}  // namespace
}  // namespace mbsc
