// SPDX-License-Identifier: Apache-2.0
#include "mbsc/predict.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mbsc/base/require.h"
#include "mbsc/io/synthetic.h"
#include "tests/affinity/dense_oracle.h"

namespace mbsc {
namespace {

Matrix<float> points_of(Shape shape, int64_t n, uint64_t seed, std::vector<int32_t>& classes) {
  SyntheticOptions options;
  options.shape = shape;
  options.n = n;
  options.seed = seed;
  options = checked(options);
  Matrix<float> X(n, options.features);
  classes.resize(size_t(n));
  make_rows(options, 0, X, classes);
  return X;
}

/// A clustering and the model it leaves behind.
struct Fitted {
  Fitted(const Points& points, const ClusterOptions& options) : result(cluster(points, options)) {
    model.points = points;
    model.affinity = options.affinity;
    model.gamma = std::isnan(result.gamma) ? 1 : result.gamma;
    model.regularization = options.regularization;
    model.embedding_scale = options.embedding_scale;
    model.labels = result.labels;
    model.degrees = result.degrees;
    model.embedding = result.embedding.view();
    model.cluster_centers = result.cluster_centers.view();
    if (options.affinity == AffinityKind::precomputed) {
      hashes = hash_rows(points, true, 1);
      model.row_hashes = hashes;
    }
    extension = find_extension(model, result.eigenvalues, result.eigenvalues_are_exact, result.residuals, 0, 2);
    model.extension = extension.view();
  }
  Fitted(const Fitted&) = delete;
  Fitted& operator=(const Fitted&) = delete;
  Clustering result;
  std::vector<uint64_t> hashes;
  Matrix<double> extension;
  Model model;
};

ClusterOptions options_for(int64_t clusters) {
  ClusterOptions options;
  options.clusters = clusters;
  options.threads = 2;
  return options;
}

double share_equal(std::span<const int32_t> a, std::span<const int32_t> b) {
  int64_t equal = 0;
  for (size_t i = 0; i < a.size(); ++i) equal += a[i] == b[i];
  return double(equal) / double(a.size());
}

TEST(Predict, TrainingPointsKeepTheirLabelsUnderEveryScaleAndKernel) {
  std::vector<int32_t> classes;
  const Matrix<float> X = points_of(Shape::blobs, 700, 1, classes);
  for (const EmbeddingScale scale : {EmbeddingScale::row, EmbeddingScale::none, EmbeddingScale::degree})
    for (const AffinityKind kind : {AffinityKind::rbf, AffinityKind::exponential, AffinityKind::cosine}) {
      ClusterOptions options = options_for(3);
      options.embedding_scale = scale;
      options.affinity = kind;
      const Fitted fitted(Points(X.view()), options);
      EXPECT_EQ(share_equal(predict(fitted.model, Points(X.view()), 2).labels, fitted.result.labels), 1)
          << int(scale) << int(kind);
    }
}

TEST(Predict, OnTrainingPointsItIsTheirRowOfTheEmbedding) {
  std::vector<int32_t> classes;
  const Matrix<float> X = points_of(Shape::moons, 400, 2, classes);
  ClusterOptions options = options_for(2);
  options.embedding_scale = EmbeddingScale::none;
  options.regularization = 0;
  const Fitted fitted(Points(X.view()), options);
  const Prediction found = predict(fitted.model, Points(X.view()), 1);
  double error = 0;
  for (int64_t i = 0; i < found.embedding.size(); ++i)
    error += std::pow(found.embedding.data()[i] - fitted.result.embedding.data()[i], 2);
  // L w / theta - w = r / theta: the residuals, at most 1e-5 each.
  EXPECT_LT(std::sqrt(error), 1e-4);
}

TEST(Predict, NewPointsOfRingsGetTheRingTheyLieOn) {
  std::vector<int32_t> classes, new_classes;
  const Matrix<float> X = points_of(Shape::rings, 1000, 3, classes), Y = points_of(Shape::rings, 300, 4, new_classes);
  const Fitted fitted(Points(X.view()), options_for(2));
  const Prediction found = predict(fitted.model, Points(Y.view()), 2);
  const bool same = fitted.result.labels[0] == classes[0];
  for (size_t i = 0; i < new_classes.size(); ++i) EXPECT_EQ(found.labels[i] == new_classes[i], same) << "point " << i;
}

TEST(Predict, ExtensionOfMiniBatchesAgreesWithTheirLabels) {
  std::vector<int32_t> classes;
  const Matrix<float> X = points_of(Shape::blobs, 3000, 5, classes);
  ClusterOptions options = options_for(3);
  options.method = Method::minibatch;
  options.solver.passes = 0.5;
  const Fitted fitted(Points(X.view()), options);
  ASSERT_TRUE(fitted.result.residuals.empty()) << "E has to be learnt from rows";
  EXPECT_GE(share_equal(predict(fitted.model, Points(X.view()), 2).labels, fitted.result.labels), 0.999);
}

TEST(Predict, APairThatDrownsInItsResidualIsDamped) {
  Model model;
  Matrix<float> W(4, 2);
  const std::vector<double> degrees(4, 1.0);
  const std::vector<int32_t> labels(4);
  const Matrix<double> centers(2, 2);
  const Matrix<float> X(4, 1);
  model.points = Points(X.view());
  model.embedding = W.view();
  model.degrees = degrees;
  model.labels = labels;
  model.cluster_centers = centers.view();
  const std::vector<double> values{1, 1e-9}, residuals{1e-6, 1e-3};
  const Matrix<double> E = find_extension(model, values, true, residuals, 0, 1);
  EXPECT_NEAR(E(0, 0), 1, 1e-9);
  EXPECT_LT(std::abs(E(1, 1)), 1e-2) << "1/theta would be 1e9";
}

TEST(Predict, DuplicatesAmongTrainingPointsCountAsInTheFit) {
  std::vector<int32_t> classes;
  Matrix<float> X = points_of(Shape::blobs, 300, 6, classes);
  for (int64_t i = 1; i < 20; ++i) std::copy_n(X.row(0), X.cols(), X.row(i));
  ClusterOptions options = options_for(3);
  options.embedding_scale = EmbeddingScale::none;
  const Fitted fitted(Points(X.view()), options);
  const Prediction found = predict(fitted.model, Points(X.view()), 1);
  for (int64_t i = 0; i < 20; ++i)
    for (int64_t c = 0; c < 3; ++c) EXPECT_NEAR(found.embedding(i, c), fitted.result.embedding(i, c), 1e-4);
}

TEST(Predict, PointsWithoutANeighborGetTheNearestMean) {
  std::vector<int32_t> classes;
  const Matrix<float> X = points_of(Shape::blobs, 300, 7, classes);
  const Fitted fitted(Points(X.view()), options_for(3));
  Matrix<float> far(1, X.cols());
  // Far out along the diagonal, where the mean with the largest sum of coordinates is the nearest.
  for (int64_t f = 0; f < X.cols(); ++f) far(0, f) = 1e4;
  const Prediction found = predict(fitted.model, Points(far.view()), 1);
  EXPECT_EQ(found.isolated_points, 1);
  std::vector<double> sums(3), counts(3);
  for (int64_t i = 0; i < 300; ++i) {
    const auto label = size_t(fitted.result.labels[size_t(i)]);
    for (int64_t f = 0; f < X.cols(); ++f) sums[label] += X(i, f);
    counts[label] += 1;
  }
  for (size_t c = 0; c < 3; ++c) sums[c] /= counts[c];
  EXPECT_EQ(found.labels[0], std::max_element(sums.begin(), sums.end()) - sums.begin());
  for (int64_t c = 0; c < 3; ++c) EXPECT_TRUE(std::isfinite(found.embedding(0, c)));
}

TEST(Predict, APrecomputedAffinityAgreesWithTheKernelItCameFrom) {
  std::vector<int32_t> classes;
  const Matrix<float> X = points_of(Shape::blobs, 200, 8, classes);
  const Fitted kernel(Points(X.view()), options_for(3));
  Matrix<double> A(200, 200);
  for (int64_t i = 0; i < 200; ++i)
    for (int64_t j = 0; j < 200; ++j)
      A(i, j) = testing::kernel_value(Points(X.view()), {KernelKind::rbf, kernel.result.gamma}, i, j);
  ClusterOptions options = options_for(3);
  options.affinity = AffinityKind::precomputed;
  const Fitted matrix(Points(A.view()), options);
  const Prediction found = predict(matrix.model, Points(A.view()), 2);
  EXPECT_EQ(share_equal(found.labels, matrix.result.labels), 1);
  EXPECT_EQ(share_equal(found.labels, kernel.result.labels), 1);
}

TEST(Predict, RefusesPointsWithOtherFeatures) {
  std::vector<int32_t> classes;
  const Matrix<float> X = points_of(Shape::blobs, 100, 9, classes), other(5, X.cols() + 1);
  const Fitted fitted(Points(X.view()), options_for(3));
  EXPECT_THROW(predict(fitted.model, Points(other.view()), 1), InvalidInput);
}

}  // namespace
}  // namespace mbsc
