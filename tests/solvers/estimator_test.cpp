// SPDX-License-Identifier: Apache-2.0
// The estimators of LW over many draws: compares their mean with LW, and their variance with the formulas of
// estimator.h, which defines the symbols.
#include "mbsc/solvers/paper/estimator.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "mbsc/base/require.h"
#include "tests/solvers/dense_problem.h"

namespace mbsc {
namespace {

using Eigen::ArrayXXd;
using Eigen::MatrixXd;
using testing::clouds;
using testing::DenseProblem;
using testing::to_eigen;

constexpr int64_t n = 60, k = 2;
constexpr int64_t draws = 40000;
// The largest of n k = 120 standard normal |z| exceeds 5 once in 15,000 times. Seeds are fixed, so the tests do not
// fail by chance.
constexpr double largest_z = 5;

const DenseProblem<double>& problem() {
  static const DenseProblem<double> p(clouds<double>(n, 2, 3.0, 1), 0.5);
  return p;
}

/// The second and the third eigenvector, rotated toward others: g = Lw is not a multiple of w.
const Matrix<double>& basis() {
  static const Matrix<double> W = [] {
    Matrix<double> basis(n, k);
    for (int64_t i = 0; i < n; ++i)
      for (int64_t c = 0; c < k; ++c)
        basis(i, c) = 0.8 * problem().vectors(i, c + 1) + 0.6 * problem().vectors(i, c + 20);
    return basis;
  }();
  return W;
}

/// The estimate L[:, S] C of batch t.
MatrixXd estimate(const MatrixXd& L, const BatchPlan& plan, int64_t t, const Matrix<double>& W) {
  const Batch<double> batch = make_batch<double>(plan, t, RowSpace(L.rows(), 1), W);
  MatrixXd G = MatrixXd::Zero(L.rows(), W.cols());
  for (size_t j = 0; j < batch.columns.size(); ++j)
    for (int64_t c = 0; c < W.cols(); ++c) G.col(c) += L.col(batch.columns[j]) * batch.coefficients(int64_t(j), c);
  return G;
}

/// Calls take() with independent estimates: with the batches t = 0, 1, ... of one seed if sampling is independent, else
/// with one batch of each of many seeds.
void for_each_draw(ClusterOptions options, const std::function<void(const MatrixXd&)>& take) {
  for (int64_t i = 0; i < draws; ++i) {
    if (options.adagrad.sampling == Sampling::reshuffle) options.seed = uint64_t(i);
    const int64_t t = options.adagrad.sampling == Sampling::reshuffle ? 3 : i;
    take(estimate(problem().dense, BatchPlan(n, options), t, basis()));
  }
}

struct Moments {
  ArrayXXd mean, variance;  ///< of the estimates; the variance is about LW
  double mean_z = 0;        ///< the largest |z| of the mean against LW
  ArrayXXd variance_error;  ///< the standard error of the variance, from the fourth moments
};

Moments moments(const ClusterOptions& options) {
  const ArrayXXd expected = (problem().dense * to_eigen(basis())).array();
  ArrayXXd first = ArrayXXd::Zero(n, k), second = first, fourth = first;
  for_each_draw(options, [&](const MatrixXd& G) {
    const ArrayXXd deviation = G.array() - expected;
    first += deviation;
    second += deviation.square();
    fourth += deviation.square().square();
  });
  const double N = double(draws);
  Moments m;
  m.mean = expected + first / N;
  m.variance = second / N;
  m.mean_z = ((first / N).abs() / (m.variance / N).sqrt()).maxCoeff();
  m.variance_error = ((fourth / N - m.variance.square()) / N).sqrt();
  return m;
}

/// The formulas of estimator.h, for each entry of the estimate.
ArrayXXd variance_of_columns(int64_t m) {
  const MatrixXd& L = problem().dense;
  ArrayXXd v(n, k);
  for (int64_t c = 0; c < k; ++c) {
    const Eigen::VectorXd w = to_eigen(basis()).col(c), g = L * w;
    for (int64_t i = 0; i < n; ++i) {
      double s = 0;
      for (int64_t j = 0; j < n; ++j) s += std::pow(L(i, j) * w[j] - g[i] / double(n), 2) / double(n - 1);
      v(i, c) = double(n) * double(n) / double(m) * (1 - double(m) / double(n)) * s;
    }
  }
  return v;
}
ArrayXXd variance_of_signs(const MatrixXd& L, const MatrixXd& W, double l, double vectors, bool exactly) {
  const double N = double(L.rows()), c = exactly ? N * (l - 1) / (l * (N - 1)) : 1;
  const MatrixXd entries = L.cwiseAbs2(), weights = W.cwiseAbs2();
  const ArrayXXd g = (L * W).array(), squares = (entries * weights).array();
  const ArrayXXd sums = entries.rowwise().sum().replicate(1, W.cols()).array();
  return ((2 * c - 1) * g.square() + (N / l - 3 * c) * squares + c * sums) / vectors;
}

/// Checks the mean of the estimates and, unless `variance` is null, their variance.
void expect_moments(const char* name, const ClusterOptions& options, const ArrayXXd* variance) {
  const Moments m = moments(options);
  EXPECT_LT(m.mean_z, largest_z) << name;
  if (variance == nullptr) {
    fmt::print("{}: mean |z| <= {:.2f}\n", name, m.mean_z);
    return;
  }
  const double z = ((m.variance - *variance).abs() / m.variance_error).maxCoeff();
  // The entries of a draw are correlated. In the worst case they are fully correlated, and their errors add up.
  const double total = m.variance.sum() / variance->sum() - 1;
  const double total_error = m.variance_error.sum() / variance->sum();
  fmt::print(
      "{}: mean |z| <= {:.2f}, variance |z| <= {:.2f}, in sum {:+.3f} % (standard error < {:.3f} "
      "%)\n",
      name, m.mean_z, z, 100 * total, 100 * total_error);
  EXPECT_LT(z, largest_z) << name;
  EXPECT_LT(std::abs(total), 3 * total_error) << name;
  EXPECT_LT(total_error, 0.02) << "too few draws to tell";
}

ClusterOptions with(Estimator estimator, Sampling sampling, int64_t m, int64_t l = 2) {
  ClusterOptions options;
  options.adagrad.estimator = estimator;
  options.adagrad.sampling = sampling;
  options.batch_size = m;
  options.adagrad.nonzeros = l;
  return options;
}

TEST(Estimator, ColumnsAreUnbiasedWithTheStatedVarianceInBothSamplings) {
  const ArrayXXd variance = variance_of_columns(12);
  expect_moments("columns, independent", with(Estimator::columns, Sampling::independent, 12), &variance);
  expect_moments("columns, reshuffle", with(Estimator::columns, Sampling::reshuffle, 12), &variance);
}

TEST(Estimator, TheShortLastBatchOfAPassIsUnbiasedToo) {
  // The batches have 17, 17, 17 and 9 columns. The last one has number 3.
  const ArrayXXd variance = variance_of_columns(9);
  expect_moments("columns, last batch", with(Estimator::columns, Sampling::reshuffle, 17), &variance);
}

TEST(Estimator, SignsOnExactlyLComponentsHaveTheCorrectedVariance) {
  for (const int64_t l : {1, 2, 6}) {
    const ArrayXXd variance = variance_of_signs(problem().dense, to_eigen(basis()), double(l), double(12 / l), true);
    const std::string name = fmt::format("signed, l = {}", l);
    expect_moments(name.c_str(), with(Estimator::signs, Sampling::independent, 12, l), &variance);
  }
}

TEST(Estimator, SignsOnIndependentComponentsHaveThePapersVariance) {
  for (const double l : {2.0, 6.0}) {
    ClusterOptions options = with(Estimator::signs, Sampling::independent, 12);
    options.adagrad.probability = l / double(n);
    const ArrayXXd variance = variance_of_signs(problem().dense, to_eigen(basis()), l, 12 / l, false);
    const std::string name = fmt::format("signed, p = {:.3f}", *options.adagrad.probability);
    expect_moments(name.c_str(), options, &variance);
  }
}

TEST(Estimator, ReshuffledSignsAreUnbiasedAlsoWhereTheLastVectorIsShort) {
  expect_moments("signed, reshuffle", with(Estimator::signs, Sampling::reshuffle, 12, 2), nullptr);
  expect_moments("signed, reshuffle, 5 = 2 + 2 + 1", with(Estimator::signs, Sampling::reshuffle, 5, 2), nullptr);
}

TEST(Estimator, AtFixedBatchSizeVarianceAtAnEigenvectorRisesWithTheNonzeros) {
  const int64_t size = 200, m = 20;
  const DenseProblem<double> p(clouds<double>(size, 3, 3.0, 2), 0.5);
  Matrix<double> w(size, 1);
  for (int64_t i = 0; i < size; ++i) w(i, 0) = p.vectors(i, 1);
  const MatrixXd exact = p.dense * to_eigen(w);
  const auto measured = [&](int64_t l) {
    const BatchPlan plan(size, with(Estimator::signs, Sampling::independent, m, l));
    double sum = 0;
    for (int64_t t = 0; t < 4000; ++t) sum += (estimate(p.dense, plan, t, w) - exact).squaredNorm() / 4000;
    return sum;
  };
  const auto formula = [&](int64_t l) {
    return variance_of_signs(p.dense, to_eigen(w), double(l), double(m / l), true).sum();
  };
  const double one = measured(1), twenty = measured(20);
  fmt::print(
      "variance at an eigenvector, m = 20: l = 1 {:.4f} (formula {:.4f}), l = 20 {:.4f} ({:.4f}), "
      "factor {:.1f}\n",
      one, formula(1), twenty, formula(20), twenty / one);
  EXPECT_GT(twenty / one, 3);
  // The standard deviation of a squared norm is about its mean. For 4,000 of them the standard error is 1.6 %.
  EXPECT_NEAR(one / formula(1), 1, 0.07);
  EXPECT_NEAR(twenty / formula(20), 1, 0.07);
}

TEST(BatchPlan, ReshuffledBatchesTakeEveryColumnOncePerPass) {
  for (const auto& [size, m] : {std::pair<int64_t, int64_t>{100, 10}, {101, 10}, {97, 20}, {5, 5}, {1000, 999}, {7, 1}})
    for (const Estimator estimator : {Estimator::columns, Estimator::signs}) {
      ClusterOptions options = with(estimator, Sampling::reshuffle, m, 1);
      options.seed = 4;
      const BatchPlan plan(size, options);
      const int64_t batches = (size + m - 1) / m;
      for (int64_t pass = 0; pass < 3; ++pass) {
        std::multiset<int64_t> seen;
        for (int64_t b = 0; b < batches; ++b)
          for (const auto& vector : plan.draw(pass * batches + b).vectors) seen.insert(vector.begin(), vector.end());
        ASSERT_EQ(int64_t(seen.size()), size);
        for (int64_t j = 0; j < size; ++j) EXPECT_EQ(seen.count(j), 1u);
      }
    }
}

TEST(BatchPlan, APassOfReshuffledColumnsAddsUpToTheExactProduct) {
  const BatchPlan plan(n, with(Estimator::columns, Sampling::reshuffle, 17));
  MatrixXd sum = MatrixXd::Zero(n, k);
  for (int64_t t = 0; t < 4; ++t) sum += estimate(problem().dense, plan, t, basis()) / plan.draw(t).scale;
  EXPECT_LT((sum - problem().dense * to_eigen(basis())).cwiseAbs().maxCoeff(), 1e-13);
}

TEST(BatchPlan, EachPassAndEachSeedHasItsOwnOrder) {
  ClusterOptions options = with(Estimator::columns, Sampling::reshuffle, 50);
  const BatchPlan plan(1000, options);
  EXPECT_NE(plan.draw(0).vectors, plan.draw(20).vectors);
  EXPECT_EQ(plan.draw(7).vectors, BatchPlan(1000, options).draw(7).vectors);
  options.seed = 1;
  EXPECT_NE(plan.draw(0).vectors, BatchPlan(1000, options).draw(0).vectors);
}

TEST(BatchPlan, BadOptionsAreRefused) {
  const auto refused = [](const ClusterOptions& options) { EXPECT_THROW(BatchPlan(n, options), InvalidInput); };
  refused(with(Estimator::columns, Sampling::reshuffle, n + 1));
  refused(with(Estimator::columns, Sampling::reshuffle, -1));
  refused(with(Estimator::signs, Sampling::reshuffle, 10, 0));
  refused(with(Estimator::signs, Sampling::reshuffle, 10, 11));
  for (const double p : {0.0, -0.1, 1.1}) {
    ClusterOptions options = with(Estimator::signs, Sampling::independent, 10);
    options.adagrad.probability = p;
    refused(options);
  }
}

}  // namespace
}  // namespace mbsc
