// SPDX-License-Identifier: Apache-2.0
#include "mbsc/kmeans/cluster_qr.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "mbsc/base/random.h"
#include "mbsc/base/require.h"
#include "tests/comm/ranks.h"
#include "tests/kmeans/clouds.h"
#include "tests/oracle/dense_algebra.h"

namespace mbsc {
namespace {

using Eigen::MatrixXd;

ClusterQrResult label(const Matrix<float>& rows, std::span<const uint8_t> excluded = {}) {
  return cluster_qr(RowSpace(rows.rows(), 1), rows.view(), excluded);
}

MatrixXd to_eigen(const Matrix<float>& rows) {
  MatrixXd X(rows.rows(), rows.cols());
  for (int64_t i = 0; i < rows.rows(); ++i)
    for (int64_t f = 0; f < rows.cols(); ++f) X(i, f) = double(rows(i, f));
  return X;
}

/// Rows near the k directions of a random rotation, with lengths between 0.5 and 1.5; row i belongs to direction i mod k.
Matrix<float> make_directions(int64_t n, int64_t k, double spread, uint64_t seed = 1) {
  const Random random(seed, Stream::test);
  MatrixXd G(k, k);
  for (int64_t i = 0; i < k; ++i)
    for (int64_t f = 0; f < k; ++f) G(i, f) = random.normal(uint64_t(1000000 + i), uint64_t(f));
  const MatrixXd rotation = testing::orthonormal_basis(G);
  Matrix<float> rows(n, k);
  for (int64_t i = 0; i < n; ++i) {
    const double length = 0.5 + random.uniform(uint64_t(i), uint64_t(k));
    for (int64_t f = 0; f < k; ++f)
      rows(i, f) = float(length * (rotation(i % k, f) + spread * random.normal(uint64_t(i), uint64_t(f))));
  }
  return rows;
}

/// The labels by the definition, with Eigen's pivoted QR and its singular value decomposition.
std::vector<int32_t> plain_labels(const Matrix<float>& rows) {
  const MatrixXd X = to_eigen(rows);
  const int64_t k = X.cols();
  const Eigen::ColPivHouseholderQR<MatrixXd> qr(X.transpose());
  MatrixXd C(k, k);
  for (int64_t c = 0; c < k; ++c) C.row(c) = X.row(qr.colsPermutation().indices()[c]);
  const Eigen::JacobiSVD<MatrixXd> svd(C, Eigen::ComputeFullU | Eigen::ComputeFullV);
  const MatrixXd Y = (X * (svd.matrixU() * svd.matrixV().transpose()).transpose()).cwiseAbs();
  std::vector<int32_t> labels;
  for (int64_t i = 0; i < X.rows(); ++i) {
    Eigen::Index largest = 0;
    Y.row(i).maxCoeff(&largest);
    labels.push_back(int32_t(largest));
  }
  return labels;
}

/// The labels, numbered in the order in which they appear.
std::vector<int32_t> renumbered(const std::vector<int32_t>& labels) {
  std::map<int32_t, int32_t> numbers;
  std::vector<int32_t> result;
  for (const int32_t label : labels) result.push_back(numbers.emplace(label, int32_t(numbers.size())).first->second);
  return result;
}

TEST(ClusterQr, FindsTheLabelsOfAPivotedQr) {
  for (const int64_t k : {1, 2, 5, 12, 40})
    for (const double spread : {0.01, 0.1, 0.3}) {
      const Matrix<float> rows = make_directions(2000, k, spread, uint64_t(k));
      // Rows that almost tie may be chosen in another order.
      EXPECT_EQ(renumbered(label(rows).labels), renumbered(plain_labels(rows))) << k << " columns, spread " << spread;
    }
}

TEST(ClusterQr, TheDirectionsAreOrthonormalAndGiveTheLabels) {
  const Matrix<float> rows = make_directions(1500, 7, 0.2);
  const ClusterQrResult result = label(rows);
  const Eigen::Map<const Eigen::Matrix<double, -1, -1, Eigen::RowMajor>> V(result.directions.data(), 7, 7);
  EXPECT_LT((V * V.transpose() - MatrixXd::Identity(7, 7)).norm(), 1e-13);
  for (int64_t i = 0; i < rows.rows(); ++i)
    EXPECT_EQ(result.labels[size_t(i)], strongest_direction(rows.row(i), result.directions));
}

TEST(ClusterQr, SeparatesDirectionsWhateverTheirSign) {
  Matrix<float> rows = make_directions(900, 6, 0.05);
  const std::vector<int32_t> before = label(rows).labels;
  for (int64_t i = 6; i < 900; ++i) EXPECT_EQ(before[size_t(i)], before[size_t(i - 6)]);
  for (int64_t i = 100; i < 900; i += 3)
    for (int64_t f = 0; f < 6; ++f) rows(i, f) = -rows(i, f);
  EXPECT_EQ(label(rows).labels, before);
}

TEST(ClusterQr, RowsOfEqualLengthTieAndTheFirstIsChosen) {
  // With rounding errors of float32 in the lengths, the labels keep their numbers: row 0 is always chosen first.
  Matrix<float> rows = make_directions(600, 4, 0.1);
  for (int64_t i = 0; i < 600; ++i) {
    double square = 0;
    for (int64_t f = 0; f < 4; ++f) square += std::pow(double(rows(i, f)), 2);
    for (int64_t f = 0; f < 4; ++f) rows(i, f) = float(double(rows(i, f)) / std::sqrt(square));
  }
  const std::vector<int32_t> labels = label(rows).labels;
  EXPECT_EQ(labels[0], 0);
  const Random random(7, Stream::test);
  for (int64_t i = 0; i < rows.size(); ++i) rows.data()[i] *= float(1 + 1e-6 * random.normal(uint64_t(i), 0));
  EXPECT_EQ(label(rows).labels, labels);
}

TEST(ClusterQr, FillsEveryClusterIfFewRowsAreIndependent) {
  for (const int64_t distinct : {1, 2, 3}) {
    Matrix<float> rows(50, 5);  // columns 3 and 4 are zero
    for (int64_t i = 0; i < 50; ++i) rows(i, i % distinct) = 1 + float(i);
    const ClusterQrResult result = label(rows);
    const std::vector<int64_t> sizes = cluster_sizes(result.labels, 5);
    EXPECT_GE(*std::min_element(sizes.begin(), sizes.end()), 1) << distinct;
    for (int64_t c = 0; c < 5; ++c)
      for (int64_t f = 0; f < 5; ++f) EXPECT_TRUE(std::isfinite(result.directions(c, f)));
  }
  const Matrix<float> zero(9, 3);
  EXPECT_EQ(cluster_sizes(label(zero).labels, 3), (std::vector<int64_t>{7, 1, 1}));
}

TEST(ClusterQr, AnEmptyClusterTakesTheRowThatIsClosestToIt) {
  const Matrix<float> rows = make_directions(400, 3, 0.4, 3);
  Matrix<float> doubled(400, 4);  // the fourth column repeats the third: only three rows are independent
  for (int64_t i = 0; i < 400; ++i)
    for (int64_t f = 0; f < 4; ++f) doubled(i, f) = rows(i, std::min<int64_t>(f, 2));
  const ClusterQrResult result = label(doubled);
  const std::vector<int64_t> sizes = cluster_sizes(result.labels, 4);
  EXPECT_EQ(std::count(sizes.begin(), sizes.end(), 1), 1) << "one direction belongs to no row";
  int64_t moved = -1, best = -1;
  double most = -1;
  std::vector<int32_t> strongest;
  for (int64_t i = 0; i < 400; ++i) strongest.push_back(strongest_direction(doubled.row(i), result.directions));
  for (int64_t i = 0; i < 400; ++i)
    if (strongest[size_t(i)] != result.labels[size_t(i)]) moved = i;
  ASSERT_GE(moved, 0);
  const auto part = [&](int64_t i, int64_t c) {
    double sum = 0;
    for (int64_t f = 0; f < 4; ++f) sum += double(doubled(i, f)) * result.directions(c, f);
    return std::abs(sum);
  };
  for (int64_t i = 0; i < 400; ++i) {
    const double share = part(i, result.labels[size_t(moved)]) / part(i, strongest[size_t(i)]);
    if (share > most) most = share, best = i;
  }
  EXPECT_EQ(moved, best);
}

TEST(ClusterQr, HasTheSameBitsForAnyThreadsAndRanks) {
  const int64_t n = 3000;
  Matrix<float> dependent = make_directions(n, 9, 0.3);
  for (int64_t i = 0; i < n; ++i) dependent(i, 8) = dependent(i, 7) = 0;  // two clusters have to be filled
  for (const Matrix<float>& rows : {make_directions(n, 9, 0.3), dependent}) {
    std::vector<uint8_t> excluded(n);
    for (int64_t i = 0; i < n; i += 11) excluded[size_t(i)] = 1;
    const ClusterQrResult expected = label(rows, excluded);
    for (const int ranks : {1, 2, 3, 7, 60})  // 60: more ranks than blocks
      for (const int threads : {1, 3})
        testing::on_ranks(ranks, [&](const Comm& comm) {
          const RowSpace space(n, threads, comm);
          const Range own = space.own_rows();
          const ClusterQrResult result = cluster_qr(space, rows.view().rows_between(own.begin, own.end),
                                                    std::span(excluded).subspan(size_t(own.begin), size_t(own.size())));
          EXPECT_TRUE(std::equal(result.directions.data(), result.directions.data() + 81, expected.directions.data()));
          EXPECT_TRUE(std::equal(result.labels.begin(), result.labels.end(), expected.labels.begin() + own.begin,
                                 expected.labels.begin() + own.end));
        });
  }
}

TEST(ClusterQr, ExcludedRowsHaveNoLabelAndNoInfluence) {
  Matrix<float> rows = make_directions(600, 3, 0.1);
  std::vector<uint8_t> excluded(600);
  for (int64_t i = 0; i < 600; i += 7) excluded[size_t(i)] = 1;
  const std::vector<int32_t> before = label(rows, excluded).labels;
  for (int64_t i = 0; i < 600; i += 7)
    for (int64_t f = 0; f < 3; ++f) rows(i, f) = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(label(rows, excluded).labels, before);
  for (int64_t i = 0; i < 600; ++i) EXPECT_EQ(before[size_t(i)] == -1, excluded[size_t(i)] == 1);
}

TEST(ClusterQr, RefusesWhatCannotBeLabeled) {
  Matrix<float> rows = make_directions(20, 4, 0.1);
  std::vector<uint8_t> excluded(20, 1);
  excluded[3] = excluded[5] = 0;
  EXPECT_THROW(label(rows, excluded), InvalidInput);
  rows(7, 1) = std::numeric_limits<float>::infinity();
  EXPECT_THROW(label(rows), InvalidInput);
}

}  // namespace
}  // namespace mbsc
