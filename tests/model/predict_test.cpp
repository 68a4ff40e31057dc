// SPDX-License-Identifier: Apache-2.0
#include "mbsc/model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mbsc/cluster.h"
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

/// A clustering and the model made from it.
struct Fitted {
  Fitted(const Input& input, const ClusterOptions& options)
      : result(cluster(input, options)), model(make_model(input, result)) {}
  Clustering result;
  Model model;
};

ClusterOptions options_for(int64_t clusters) {
  ClusterOptions options;
  options.clusters = clusters;
  options.threads = 2;
  options.affinity = AffinityKind::rbf;
  return options;
}

ClusterOptions options_for_matrix(int64_t clusters) {
  ClusterOptions options = options_for(clusters);
  options.affinity = AffinityKind::precomputed;
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

TEST(Predict, TrainingPointsKeepTheirDirectLabels) {
  for (const Shape shape : {Shape::blobs, Shape::moons})
    for (const EmbeddingScale scale : {EmbeddingScale::row, EmbeddingScale::none, EmbeddingScale::degree})
      for (const AffinityKind kind : {AffinityKind::rbf, AffinityKind::neighbors, AffinityKind::landmarks}) {
        std::vector<int32_t> classes;
        const Matrix<float> X = points_of(shape, 700, 1, classes);
        ClusterOptions options = options_for(4);
        options.embedding_scale = scale;
        options.affinity = kind;
        options.assign = Assign::cluster_qr;
        options.keep_graph = true;
        const Fitted fitted(Points(X.view()), options);
        EXPECT_GE(share_equal(predict(fitted.model, Points(X.view()), 2).labels, fitted.result.labels), 0.99)
            << int(shape) << int(scale) << int(kind);
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
    error += std::pow(found.embedding.data()[i] - fitted.result.pairs.vectors.data()[i], 2);
  // For each pair the difference is L w / theta - w = r / theta, with a residual |r| of at most 1e-5.
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
  options.method = "minibatch";
  options.limits.passes = 0.5;
  const Fitted fitted(Points(X.view()), options);
  ASSERT_TRUE(fitted.result.pairs.residuals.empty()) << "E has to be learnt from rows";
  EXPECT_GE(share_equal(predict(fitted.model, Points(X.view()), 2).labels, fitted.result.labels), 0.999);
}

TEST(Predict, APairThatDrownsInItsResidualIsDamped) {
  const Matrix<float> X(4, 1);
  Model model;
  model.points = Points(X.view());
  model.embedding = Matrix<float>(4, 2);
  model.degrees.assign(4, 1.0);
  model.labels.assign(4, 0);
  model.cluster_centers = Matrix<double>(2, 2);
  EigenPairs<float> pairs;
  pairs.values = {1, 1e-9};
  pairs.residuals = {1e-6, 1e-3};
  pairs.values_are_exact = true;
  const Matrix<double> E = find_extension(model, pairs, 0, 1);
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
    for (int64_t c = 0; c < 3; ++c) EXPECT_NEAR(found.embedding(i, c), fitted.result.pairs.vectors(i, c), 1e-4);
}

TEST(Predict, PointsWithoutANeighborGetTheNearestMean) {
  std::vector<int32_t> classes;
  const Matrix<float> X = points_of(Shape::blobs, 300, 7, classes);
  const Fitted fitted(Points(X.view()), options_for(3));
  Matrix<float> far(1, X.cols());
  // Far away along the diagonal, the nearest mean is the one with the largest sum of coordinates.
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
      A(i, j) = testing::kernel_value(Points(X.view()), {KernelKind::rbf, *kernel.result.plan.options.gamma}, i, j);
  const Fitted matrix(Input::matrix(Points(A.view())), options_for_matrix(3));
  const Prediction found = predict(matrix.model, Points(A.view()), 2);
  EXPECT_EQ(share_equal(found.labels, matrix.result.labels), 1);
  EXPECT_EQ(share_equal(found.labels, kernel.result.labels), 1);
}

/// Blobs in features of very different sizes and offsets. Without scaling, one feature would decide all distances.
Matrix<float> uneven_blobs(int64_t n, uint64_t seed, std::vector<int32_t>& classes) {
  Matrix<float> X = points_of(Shape::blobs, n, seed, classes);
  for (int64_t i = 0; i < n; ++i) {
    X(i, 0) = 1e-2f * X(i, 0) - 3;
    X(i, 1) = 1e3f * X(i, 1) + 500;
  }
  return X;
}

TEST(Predict, TrainingPointsKeepTheirLabelsUnderEveryScaling) {
  std::vector<int32_t> classes;
  const Matrix<float> X = uneven_blobs(700, 10, classes);
  for (const Scaling scaling : {Scaling::standard, Scaling::unit, Scaling::symmetric})
    for (const std::optional<int64_t> rows : {std::optional<int64_t>(), std::optional<int64_t>(200)}) {
      ClusterOptions options = options_for(3);
      options.scale = scaling;
      options.scale_rows = rows;
      const Fitted fitted(Points(X.view()), options);
      const Prediction found = predict(fitted.model, Points(X.view()), 2);
      EXPECT_EQ(share_equal(found.labels, fitted.result.labels), 1) << int(scaling) << ", rows " << rows.value_or(0);
      EXPECT_EQ(fitted.result.cluster_sizes[0] + fitted.result.cluster_sizes[1] + fitted.result.cluster_sizes[2], 700);
      for (size_t i = 0; i < classes.size(); ++i)
        for (size_t j = 0; j < i; j += 50)
          EXPECT_EQ(classes[i] == classes[j], fitted.result.labels[i] == fitted.result.labels[j]) << i << ", " << j;
    }
}

TEST(Predict, NewPointsAreScaledAsTheTrainingPointsWere) {
  std::vector<int32_t> classes, new_classes;
  const Matrix<float> X = uneven_blobs(700, 10, classes), Y = uneven_blobs(200, 11, new_classes);
  ClusterOptions options = options_for(3);
  options.scale = Scaling::standard;
  const Fitted fitted(Points(X.view()), options);
  // The same points, scaled beforehand in double.
  const Points& scaling = fitted.model.points;
  ASSERT_EQ(scaling.shift.size(), size_t(X.cols()));
  const auto scaled = [&](const Matrix<float>& points) {
    Matrix<double> out(points.rows(), points.cols());
    for (int64_t i = 0; i < points.rows(); ++i)
      for (int64_t f = 0; f < points.cols(); ++f)
        out(i, f) = (double(points(i, f)) - scaling.shift[size_t(f)]) * scaling.scale[size_t(f)];
    return out;
  };
  ClusterOptions plain = options_for(3);
  plain.gamma = fitted.result.plan.options.gamma;
  const Matrix<double> scaled_X = scaled(X), scaled_Y = scaled(Y);
  const Fitted other(Points(scaled_X.view()), plain);
  EXPECT_EQ(other.result.labels, fitted.result.labels);
  EXPECT_EQ(predict(other.model, Points(scaled_Y.view()), 2).labels, predict(fitted.model, Points(Y.view()), 2).labels);
}

TEST(Model, OwnsItsPointsAndOutlivesTheClustering) {
  std::vector<int32_t> classes;
  const Matrix<float> X = uneven_blobs(300, 12, classes);
  ClusterOptions options = options_for(3);
  options.scale = Scaling::standard;
  std::vector<int32_t> labels;
  const Model model = [&] {
    Matrix<float> wide(300, 2 * X.cols());  // rows with a stride
    for (int64_t i = 0; i < 300; ++i) std::copy_n(X.row(i), X.cols(), wide.row(i));
    const Points points(wide.data(), ScalarType::float32, 300, X.cols(), wide.cols());
    const Clustering result = cluster(points, options);
    labels = result.labels;
    Model made = make_model(points, result);
    std::fill_n(wide.data(), wide.size(), 1e9f);
    return made;
  }();
  EXPECT_NE(model.owner, nullptr);
  EXPECT_EQ(share_equal(predict(model, Points(X.view()), 1).labels, labels), 1);
  const Model copy = model;
  EXPECT_EQ(share_equal(predict(copy, Points(X.view()), 1).labels, labels), 1);
}

TEST(Model, OfAMatrixKeepsNoRowsOfIt) {
  std::vector<int32_t> classes;
  const Matrix<float> X = points_of(Shape::blobs, 200, 13, classes);
  Matrix<float> A(200, 200);
  for (int64_t i = 0; i < 200; ++i)
    for (int64_t j = 0; j < 200; ++j)
      A(i, j) = float(testing::kernel_value(Points(X.view()), {KernelKind::rbf, 0.5}, i, j));
  const Fitted fitted(Input::matrix(Points(A.view())), options_for_matrix(3));
  EXPECT_EQ(fitted.model.kind, Input::Kind::matrix);
  EXPECT_EQ(fitted.model.points.data, nullptr);
  EXPECT_EQ(fitted.model.row_hashes.size(), 200u);
  EXPECT_EQ(share_equal(predict(fitted.model, Points(A.view()), 1).labels, fitted.result.labels), 1);
}

TEST(Predict, RefusesPointsWithOtherFeatures) {
  std::vector<int32_t> classes;
  const Matrix<float> X = points_of(Shape::blobs, 100, 9, classes), other(5, X.cols() + 1);
  const Fitted fitted(Points(X.view()), options_for(3));
  EXPECT_THROW(predict(fitted.model, Points(other.view()), 1), InvalidInput);
}

}  // namespace
}  // namespace mbsc
