// SPDX-License-Identifier: Apache-2.0
#include "mbsc/affinity/landmarks/landmark_search.h"

#include <gtest/gtest.h>

#include "mbsc/affinity/landmarks/choose_landmarks.h"
#include "mbsc/io/synthetic.h"
#include "tests/affinity/dense_oracle.h"

namespace mbsc {
namespace {

using testing::random_matrix;

/// The share of the entries that are as near as the true ones.
double recall_of(const NearLandmarks& found, const NearLandmarks& truth) {
  int64_t hits = 0;
  const auto each = size_t(found.each);
  for (size_t e = 0; e < found.squares.size(); ++e)
    hits += found.squares[e] <= truth.squares[(e / each + 1) * each - 1];
  return double(hits) / double(found.squares.size());
}

Matrix<float> points_of(Shape shape, int64_t n, int64_t features, double noise) {
  SyntheticOptions options;
  options.shape = shape;
  options.n = n;
  if (shape == Shape::blobs) options.features = features;
  options.noise = noise;
  options = checked(options);
  Matrix<float> X(n, options.features);
  std::vector<int32_t> classes(static_cast<size_t>(n));
  make_rows(options, 0, X, classes);
  return X;
}

TEST(LandmarkSearch, FindsNearlyAllThatBruteForceFinds) {
  const std::vector<Matrix<float>> sets = [] {
    std::vector<Matrix<float>> all;
    for (const int64_t d : {1, 2, 8, 16, 64}) all.push_back(random_matrix<float>(12'000, d, uint64_t(d)));
    all.push_back(points_of(Shape::moons, 12'000, 2, 0.1));
    all.push_back(points_of(Shape::spirals, 12'000, 2, 0.02));
    all.push_back(points_of(Shape::blobs, 12'000, 20, 1));
    return all;
  }();
  for (size_t s = 0; s < sets.size(); ++s) {
    const Points points(sets[s].view());
    const Matrix<float> landmarks = choose_landmarks(points, RowSpace(points.rows, 2), 1500, 0, {});
    const LandmarkSearch search(landmarks, 0, 2);
    const NearLandmarks found = search.find(points, 5, 2, {});
    const double recall = recall_of(found, search.find_by_brute_force(points, 5));
    fmt::print("set {}: d = {}, recall {:.4f}\n", s, points.features, recall);
    EXPECT_GE(recall, 0.95) << s;
  }
}

TEST(LandmarkSearch, IsExactForFewLandmarks) {
  const Matrix<float> X = random_matrix<float>(3000, 5, 1), landmarks = random_matrix<float>(256, 5, 2);
  const LandmarkSearch search(landmarks, 0, 2);
  const NearLandmarks found = search.find(Points(X.view()), 7, 2, {});
  const NearLandmarks truth = search.find_by_brute_force(Points(X.view()), 7);
  EXPECT_EQ(found.landmarks, truth.landmarks);
  EXPECT_EQ(found.squares, truth.squares);
}

TEST(LandmarkSearch, KeepsItsDigitsIfTwoGroupsAreFarApart) {
  // Expanded distances around a common center would have errors above the distances inside a group.
  Matrix<float> X = random_matrix<float>(6000, 3, 1);
  for (int64_t i = 0; i < 3000; ++i)
    for (int64_t f = 0; f < 3; ++f) X(i, f) += 50'000;
  const Matrix<float> landmarks = choose_landmarks(Points(X.view()), RowSpace(X.rows(), 2), 1000, 0, {});
  const LandmarkSearch search(landmarks, 0, 2);
  EXPECT_GE(recall_of(search.find(Points(X.view()), 5, 2, {}), search.find_by_brute_force(Points(X.view()), 5)), 0.95);
}

TEST(LandmarkSearch, AllLandmarksCanBeWanted) {
  const Matrix<float> X = random_matrix<float>(20, 2, 1), landmarks = random_matrix<float>(3, 2, 2);
  const LandmarkSearch search(landmarks, 0, 2);
  EXPECT_EQ(search.find(Points(X.view()), 3, 1, {}).landmarks,
            search.find_by_brute_force(Points(X.view()), 3).landmarks);
}

TEST(LandmarkSearch, HasTheSameBitsForAnyNumberOfThreads) {
  const Matrix<float> X = random_matrix<float>(20'000, 4, 1);
  const Matrix<float> landmarks = choose_landmarks(Points(X.view()), RowSpace(X.rows(), 1), 900, 3, {});
  const NearLandmarks one = LandmarkSearch(landmarks, 3, 1).find(Points(X.view()), 5, 1, {});
  for (const int threads : {2, 3}) {
    const Matrix<float> again = choose_landmarks(Points(X.view()), RowSpace(X.rows(), threads), 900, 3, {});
    EXPECT_TRUE(std::equal(landmarks.data(), landmarks.data() + landmarks.size(), again.data()));
    const NearLandmarks many = LandmarkSearch(landmarks, 3, threads).find(Points(X.view()), 5, threads, {});
    EXPECT_EQ(one.landmarks, many.landmarks);
    EXPECT_EQ(one.squares, many.squares);
  }
}

TEST(ChooseLandmarks, TakesTheDistinctPointsIfThereAreFew) {
  Matrix<float> X(500, 2);
  for (int64_t i = 0; i < 500; ++i) X(i, 0) = float(i % 30);
  const Matrix<float> landmarks = choose_landmarks(Points(X.view()), RowSpace(X.rows(), 1), 100, 0, {});
  ASSERT_EQ(landmarks.rows(), 30);
  std::vector<float> values;
  for (int64_t r = 0; r < 30; ++r) values.push_back(landmarks(r, 0));
  std::sort(values.begin(), values.end());
  for (size_t r = 0; r < 30; ++r) EXPECT_EQ(values[r], float(r));
}

TEST(ChooseLandmarks, LiesCloserToThePointsThanRandomPointsDo) {
  const Matrix<float> X = random_matrix<float>(8000, 3, 4);
  const auto mean_square = [&](const Matrix<float>& landmarks) {
    double sum = 0;
    for (const float square : LandmarkSearch(landmarks, 0, 1).find_by_brute_force(Points(X.view()), 1).squares)
      sum += double(square);
    return sum;
  };
  Matrix<float> drawn(400, 3);
  std::copy_n(X.data(), drawn.size(), drawn.data());
  EXPECT_LT(mean_square(choose_landmarks(Points(X.view()), RowSpace(X.rows(), 2), 400, 0, {})),
            0.8 * mean_square(drawn));
}

}  // namespace
}  // namespace mbsc
