// SPDX-License-Identifier: Apache-2.0
// Prediction by landmarks: the model does not contain the points.
#include <gtest/gtest.h>

#include <cmath>

#include "mbsc/cluster.h"
#include "mbsc/io/synthetic.h"
#include "mbsc/metrics.h"
#include "mbsc/model.h"
#include "tests/affinity/dense_oracle.h"

namespace mbsc {
namespace {

struct Labeled {
  Matrix<float> X;
  std::vector<int32_t> classes;
};

/// Rows [first, first + n) of a synthetic set. Different rows of one seed are new points of the same shape.
Labeled points_of(Shape shape, int64_t first, int64_t n, int clusters, double noise) {
  SyntheticOptions options;
  options.shape = shape;
  options.n = first + n;
  options.clusters = clusters;
  options.noise = noise;
  options = checked(options);
  Labeled made{Matrix<float>(n, options.features), std::vector<int32_t>(size_t(n))};
  make_rows(options, first, made.X, made.classes);
  return made;
}

ClusterOptions options_for(int64_t clusters) {
  ClusterOptions options;
  options.clusters = clusters;
  options.affinity = AffinityKind::landmarks;
  options.threads = 2;
  return options;
}

double share_equal(std::span<const int32_t> a, std::span<const int32_t> b) {
  int64_t equal = 0;
  for (size_t i = 0; i < a.size(); ++i) equal += a[i] == b[i];
  return double(equal) / double(a.size());
}

TEST(PredictByLandmarks, FittedPointsKeepTheirLabelsUnderEveryScaleAndMethod) {
  const Labeled set = points_of(Shape::moons, 0, 3000, 2, 0.1);
  const Input input{Points(set.X.view())};
  for (const EmbeddingScale scale : {EmbeddingScale::row, EmbeddingScale::none, EmbeddingScale::degree})
    for (const std::string method : {"transfer", "chebyshev", "exact", "power"})
      for (const double regularization : {0.0, 0.001}) {
        ClusterOptions options = options_for(2);
        options.embedding_scale = scale;
        options.method = method;
        options.regularization = regularization;
        if (method == "power") options.limits.iterations = 400;
        const Clustering result = cluster(input, options);
        const Model model = make_model(input, result);
        EXPECT_TRUE(model.embedding.empty() && model.degrees.empty() && model.points.data == nullptr);
        const Prediction prediction = predict(model, Points(set.X.view()), 2);
        EXPECT_GE(share_equal(prediction.labels, result.labels), 0.999) << method << int(scale) << regularization;
        EXPECT_EQ(prediction.isolated_points, result.degrees.isolated_points);
      }
}

TEST(PredictByLandmarks, RowsOfFittedPointsAreTheirRowsOfTheEmbedding) {
  const Labeled set = points_of(Shape::blobs, 0, 3000, 3, -1);
  const Input input{Points(set.X.view())};
  for (const double regularization : {0.0, 0.01}) {
    ClusterOptions options = options_for(3);
    options.embedding_scale = EmbeddingScale::none;
    options.regularization = regularization;
    const Clustering result = cluster(input, options);
    const Prediction prediction = predict(make_model(input, result), Points(set.X.view()), 1);
    const double tau = regularization * result.landmarks->mean_degree;
    for (int64_t i = 0; i < 3000; ++i)
      for (int64_t c = 0; c < 3 && result.degrees.values[size_t(i)] >= tau; ++c)
        ASSERT_NEAR(double(prediction.embedding(i, c)), double(result.pairs.vectors(i, c)), 1e-5);
  }
}

TEST(PredictByLandmarks, NewPointsOfAShapeGetItsLabel) {
  const Labeled set = points_of(Shape::spirals, 0, 8000, 3, 0.02),
                other = points_of(Shape::spirals, 8000, 3000, 3, 0.02);
  const Input input{Points(set.X.view())};
  const Model model = make_model(input, cluster(input, options_for(3)));
  EXPECT_GE(score_labels(other.classes, predict(model, Points(other.X.view()), 2).labels).nmi, 0.98);
}

TEST(PredictByLandmarks, TheScalingOfTheModelIsApplied) {
  Labeled set = points_of(Shape::rings, 0, 4000, 2, 0.05);
  for (int64_t i = 0; i < 4000; ++i) set.X(i, 1) = 5 + 1000 * set.X(i, 1);
  const Input input{Points(set.X.view())};
  ClusterOptions options = options_for(2);
  options.scale = Scaling::standard;
  const Clustering result = cluster(input, options);
  EXPECT_GE(score_labels(set.classes, result.labels).nmi, 0.98);
  EXPECT_GE(share_equal(predict(make_model(input, result), Points(set.X.view()), 2).labels, result.labels), 0.999);
}

TEST(PredictByLandmarks, APointOfASpeckGetsTheNearestCluster) {
  Matrix<float> X = testing::random_matrix<float>(2005, 2, 3);
  for (int64_t i = 0; i < 2005; ++i) X(i, 0) += i < 1000 ? 0.0F : i < 2000 ? 1000.0F : 5000.0F;
  const Input input{Points(X.view())};
  const Clustering result = cluster(input, options_for(2));
  EXPECT_GE(result.degrees.isolated_points, 5);
  EXPECT_LE(result.degrees.isolated_points, 12) << "a few outliers of a normal cloud are specks, too";
  const Prediction prediction = predict(make_model(input, result), Points(X.view()), 1);
  EXPECT_EQ(prediction.labels, result.labels);
  EXPECT_EQ(prediction.isolated_points, result.degrees.isolated_points);
  EXPECT_EQ(prediction.labels[2004], prediction.labels[1500]) << "the group at 1000 is nearer to 5000";
}

TEST(PredictByLandmarks, PointsWithOtherFeaturesAreRefused) {
  const Labeled set = points_of(Shape::moons, 0, 500, 2, 0.05);
  const Input input{Points(set.X.view())};
  const Model model = make_model(input, cluster(input, options_for(2)));
  const Matrix<float> wide(3, 3);
  EXPECT_THROW(predict(model, Points(wide.view()), 1), InvalidInput);
}

}  // namespace
}  // namespace mbsc
