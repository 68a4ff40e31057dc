// SPDX-License-Identifier: Apache-2.0
#include "mbsc/metrics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "mbsc/base/random.h"
#include "mbsc/base/require.h"

namespace mbsc {
namespace {

using Labels = std::vector<int32_t>;

Labels make_labels(int64_t n, const std::function<int64_t(int64_t)>& label) {
  Labels labels;
  for (int64_t i = 0; i < n; ++i) labels.push_back(static_cast<int32_t>(label(i)));
  return labels;
}

Labels random_labels(int64_t n, int64_t distinct, uint64_t seed) {
  const Random random(seed, Stream::test);
  return make_labels(n, [&](int64_t i) { return random.below(distinct, i); });
}

void expect_scores(const Scores& scores, const Scores& expected, double tolerance) {
  EXPECT_NEAR(scores.nmi, expected.nmi, tolerance);
  EXPECT_NEAR(scores.nmi_geometric, expected.nmi_geometric, tolerance);
  EXPECT_NEAR(scores.ari, expected.ari, tolerance);
  EXPECT_NEAR(scores.accuracy, expected.accuracy, tolerance);
}

TEST(Scores, AreThoseWorkedOutByHand) {
  // The contingency table is (2 0; 1 1). The mutual information is I = 1/2 log(4/3) + 1/4 log(2/3) + 1/4 log 2, and the
  // entropies are log 2 and log 4 - 3/4 log 3.
  const double information = std::log(4.0 / 3) / 2 + std::log(2.0 / 3) / 4 + std::log(2.0) / 4;
  const double of_classes = std::log(2), of_clusters = std::log(4) - 0.75 * std::log(3);
  // Ordered pairs of points: tp = 2, fn = 2, fp = 4, tn = 4. So tp tn = fn fp, and the adjusted Rand index is 0.
  const Scores expected{2 * information / (of_classes + of_clusters), information / std::sqrt(of_classes * of_clusters),
                        0, 0.75};
  expect_scores(score_labels(Labels{0, 0, 1, 1}, Labels{0, 0, 0, 1}), expected, 1e-14);
}

TEST(Scores, AreOneForEqualPartitionsWhateverTheLabels) {
  expect_scores(score_labels(Labels{5, 5, 900, 0, 900}, Labels{1, 1, 0, 2147483647, 0}), {1, 1, 1, 1}, 1e-15);
}

TEST(Scores, OfSingleClustersFollowScikitLearn) {
  expect_scores(score_labels(Labels{3, 3, 3}, Labels{8, 8, 8}), {1, 1, 1, 1}, 0);
  expect_scores(score_labels(Labels{0, 0, 0}, Labels{0, 1, 2}), {0, 0, 0, 1.0 / 3}, 1e-15);
  expect_scores(score_labels(Labels{0, 1, 2}, Labels{0, 0, 0}), {0, 0, 0, 1.0 / 3}, 1e-15);
  expect_scores(score_labels(Labels{0, 1, 2}, Labels{2, 1, 0}), {1, 1, 1, 1}, 1e-15);
  expect_scores(score_labels(Labels{4}, Labels{2}), {1, 1, 1, 1}, 0);
}

// The expected values come from scikit-learn 1.9.1: normalized_mutual_info_score with average_method="arithmetic" and
// "geometric", and adjusted_rand_score. The accuracy comes from linear_sum_assignment of scipy 1.17.1 on the
// contingency table.
TEST(Scores, AgreeWithScikitLearn) {
  const int64_t n = 1000;
  const auto compare = [&](auto truth, auto labels, const Scores& expected) {
    expect_scores(score_labels(make_labels(n, truth), make_labels(n, labels)), expected, 1e-12);
  };
  compare([](int64_t i) { return i % 7; }, [](int64_t i) { return i * i % 11; },
          {7.39141493866386e-06, 7.39992790889787e-06, -0.00533842344282268, 0.143});
  compare([](int64_t i) { return i / 100; }, [](int64_t i) { return (i / 100 + (i * 7919 % 10 < 3 ? i % 5 : 0)) % 10; },
          {0.722471989593555, 0.722471989593555, 0.618787878787879, 0.8});
  compare([](int64_t i) { return i / 10; }, [](int64_t i) { return i / 130; },
          {0.620894011835438, 0.670980522649964, 0.119119692383212, 0.08});
  compare([](int64_t i) { return i * 2654435761 % 4294967296 >> 29; },
          [](int64_t i) { return i * 40503 % 65536 >> 13; },
          {0.939296949662629, 0.939296949678105, 0.937495036558042, 0.972});
  compare([](int64_t i) { return 1000 * (i % 3) + 5; }, [](int64_t i) { return i % 4 == 0 ? 7 : 1000 * (i % 3); },
          {0.663173840417151, 0.667663350535017, 0.599038651224781, 0.75});
}

TEST(Scores, DoNotDependOnTheNamesOfLabels) {
  const Labels truth = random_labels(500, 6, 1), labels = random_labels(500, 9, 2);
  const KeyedPermutation permutation(9, Random(3, Stream::test), 0);
  const Labels renamed = make_labels(500, [&](int64_t i) { return permutation(labels[i]); });
  expect_scores(score_labels(truth, renamed), score_labels(truth, labels), 1e-13);
}

TEST(Scores, AreSymmetric) {
  const Labels truth = random_labels(500, 6, 4), labels = random_labels(500, 9, 5);
  expect_scores(score_labels(labels, truth), score_labels(truth, labels), 1e-13);
}

TEST(Scores, HandleTensOfThousandsOfLabels) {
  const int64_t n = 60000;
  const Labels truth = make_labels(n, [](int64_t i) { return i / 2; });
  const Labels shifted = make_labels(n, [](int64_t i) { return (i + 1) / 2; });
  // The clusters are the pairs {2j, 2j+1} and {2j-1, 2j}. No two points are together in both, and half of the points
  // can match.
  const Scores scores = score_labels(truth, shifted);
  EXPECT_NEAR(scores.accuracy, 0.5, 1e-4);
  EXPECT_NEAR(scores.ari, 0, 1e-4);
  EXPECT_EQ(score_labels(truth, truth).accuracy, 1);
}

TEST(Scores, RefuseLabelingsOfDifferentLengthAndNegativeLabels) {
  EXPECT_THROW(score_labels(Labels{0, 1}, Labels{0}), InvalidInput);
  EXPECT_THROW(score_labels(Labels{}, Labels{}), InvalidInput);
  EXPECT_THROW(score_labels(Labels{0, 1}, Labels{0, -1}), InvalidInput);
}

}  // namespace
}  // namespace mbsc
