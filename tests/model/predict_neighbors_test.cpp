// SPDX-License-Identifier: Apache-2.0
// predict() for neighbor graphs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "mbsc/cluster.h"
#include "mbsc/io/synthetic.h"
#include "mbsc/metrics.h"
#include "mbsc/model.h"
#include "tests/affinity/dense_oracle.h"

namespace mbsc {
namespace {

constexpr NeighborWeights all_weights[] = {NeighborWeights::gaussian,        NeighborWeights::shared,
                                           NeighborWeights::gaussian_shared, NeighborWeights::binary,
                                           NeighborWeights::local,           NeighborWeights::fuzzy};

std::vector<std::pair<NeighborWeights, EdgeRule>> weights_and_rules() {
  std::vector<std::pair<NeighborWeights, EdgeRule>> all;
  for (const NeighborWeights weights : all_weights)
    for (const EdgeRule rule : {EdgeRule::either, EdgeRule::mutual}) all.emplace_back(weights, rule);
  return all;
}

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

ClusterOptions options_for(int64_t clusters) {
  ClusterOptions options;
  options.clusters = clusters;
  options.threads = 2;
  options.affinity = AffinityKind::neighbors;
  options.keep_graph = true;
  return options;
}

struct Fitted {
  Fitted(const Matrix<float>& X, const ClusterOptions& options)
      : result(cluster(Points(X.view()), options)), model(make_model(Points(X.view()), result)) {}
  double agreement(const Matrix<float>& X) const {
    const std::vector<int32_t> labels = predict(model, Points(X.view()), 2).labels;
    int64_t equal = 0;
    for (size_t i = 0; i < labels.size(); ++i) equal += labels[i] == result.labels[i];
    return double(equal) / double(labels.size());
  }
  Clustering result;
  Model model;
};

Matrix<float> rows_between(const Matrix<float>& X, int64_t begin, int64_t end) {
  Matrix<float> rows(end - begin, X.cols());
  std::copy_n(X.row(begin), rows.size(), rows.data());
  return rows;
}

std::vector<float> bits_of(const Matrix<float>& X) { return {X.data(), X.data() + X.size()}; }

/// The neighbor graph of some points by its definition, in double: squared distances and lists.
struct PlainGraph {
  PlainGraph(const Matrix<float>& X, int64_t m) {
    for (int64_t i = 0; i < X.rows(); ++i) {
      std::vector<std::pair<double, int64_t>> others;
      for (int64_t j = 0; j < X.rows(); ++j) {
        double sum = 0;
        for (int64_t f = 0; f < X.cols(); ++f) sum += std::pow(double(X(i, f)) - double(X(j, f)), 2);
        if (j != i) others.emplace_back(sum, j);
      }
      std::sort(others.begin(), others.end());
      others.resize(size_t(m));
      lists.push_back(others);
    }
  }
  bool has(int64_t i, int64_t j) const {
    return std::any_of(lists[size_t(i)].begin(), lists[size_t(i)].end(), [&](auto& near) { return near.second == j; });
  }
  double shared(int64_t i, int64_t j) const {
    std::set<int64_t> a{i}, b{j};
    for (const auto& near : lists[size_t(i)]) a.insert(near.second);
    for (const auto& near : lists[size_t(j)]) b.insert(near.second);
    const double size = double(a.size() + b.size());
    a.merge(b);
    return size / double(a.size()) - 1;
  }
  /// The fuzzy weight at a squared distance, by the list of i. sigma is found by bisection of its logarithm.
  double fuzzy(int64_t i, double square) const {
    const auto& list = lists[size_t(i)];
    const double rho = std::sqrt(list[0].first);
    const auto weight = [&](double d2, double sigma) { return std::exp(-std::max(0.0, std::sqrt(d2) - rho) / sigma); };
    double low = std::log(1e-6), high = std::log(1e6);
    for (int step = 0; step < 100; ++step) {
      double sum = 0;
      for (const auto& near : list) sum += weight(near.first, std::exp((low + high) / 2));
      (sum < std::log2(double(list.size())) ? low : high) = (low + high) / 2;
    }
    return weight(square, std::exp(high));
  }
  std::vector<std::vector<std::pair<double, int64_t>>> lists;
};

TEST(PredictNeighbors, ANewPointHasTheWeightsOfAGraphToWhichItWasAdded) {
  const int64_t n = 240, m = 10, k = 3;
  std::vector<int32_t> classes;
  const Matrix<float> all = points_of(Shape::moons, n + 12, 1, classes);
  const Matrix<float> X = rows_between(all, 0, n), Y = rows_between(all, n, n + 12);
  const PlainGraph fit(X, m);
  for (const auto& [weights, rule] : weights_and_rules()) {
    ClusterOptions options = options_for(k);
    options.neighbors = m;
    options.edge_weights = weights;
    options.edges = rule;
    options.embedding_scale = EmbeddingScale::none;
    options.regularization = 0;  // as in the formula below
    const Fitted fitted(X, options);
    const Prediction found = predict(fitted.model, Points(Y.view()), 1);
    const double s = fitted.result.plan.graph->width;
    for (int64_t q = 0; q < Y.rows(); ++q) {
      Matrix<float> joined(n + 1, X.cols());
      std::copy_n(X.data(), X.size(), joined.data());
      std::copy_n(Y.row(q), X.cols(), joined.row(n));
      const PlainGraph added(joined, m);
      double degree = 0;
      std::vector<double> row(k);
      for (const auto& [square, j] : added.lists[size_t(n)]) {
        double weight = 1;
        if (weights == NeighborWeights::gaussian || weights == NeighborWeights::gaussian_shared)
          weight = std::exp(-square / (2 * s * s));
        if (weights == NeighborWeights::shared || weights == NeighborWeights::gaussian_shared)
          weight *= added.shared(n, j);
        if (weights == NeighborWeights::local)
          weight = std::exp(-square / std::sqrt(added.lists[size_t(n)][6].first * fit.lists[size_t(j)][6].first));
        if (weights == NeighborWeights::fuzzy) {
          weight = added.fuzzy(n, square);
          if (added.has(j, n)) weight = (weight + fit.fuzzy(j, square)) / 2;
        }
        if (!added.has(j, n)) weight = rule == EdgeRule::mutual ? 0 : weight / 2;
        degree += weight;
        for (int64_t c = 0; c < k; ++c)
          row[size_t(c)] +=
              weight * fitted.result.pairs.labeled_vectors()(j, c) / std::sqrt(fitted.result.degrees.values[size_t(j)]);
      }
      for (int64_t c = 0; c < k; ++c) {
        const double theta = fitted.result.pairs.values[size_t(c)], r = fitted.result.pairs.residuals[size_t(c)];
        const double expected = degree > 0 ? row[size_t(c)] / std::sqrt(degree) * theta / (theta * theta + r * r) : 0;
        EXPECT_NEAR(found.embedding(q, c), expected, 1e-5)
            << "query " << q << ", weights " << int(weights) << ", rule " << int(rule);
      }
    }
  }
}

TEST(PredictNeighbors, TrainingPointsKeepTheirLabelsForEveryShapeAndWeight) {
  for (const Shape shape : {Shape::moons, Shape::rings, Shape::blobs}) {
    std::vector<int32_t> classes;
    const Matrix<float> X = points_of(shape, 3000, 3, classes);
    for (const auto& [weights, rule] : weights_and_rules()) {
      ClusterOptions options = options_for(shape == Shape::blobs ? 3 : 2);
      options.edge_weights = weights;
      options.edges = rule;
      EXPECT_GE(Fitted(X, options).agreement(X), 0.999)
          << "shape " << int(shape) << ", weights " << int(weights) << ", rule " << int(rule);
    }
  }
}

TEST(PredictNeighbors, OnTrainingPointsItIsTheirRowOfTheEmbedding) {
  std::vector<int32_t> classes;
  const Matrix<float> X = points_of(Shape::moons, 1000, 2, classes);
  ClusterOptions options = options_for(2);
  options.embedding_scale = EmbeddingScale::none;
  options.limits.tolerance = 1e-5;
  const Fitted fitted(X, options);
  const Prediction found = predict(fitted.model, Points(X.view()), 1);
  double error = 0;
  for (int64_t i = 0; i < found.embedding.size(); ++i)
    error += std::pow(found.embedding.data()[i] - fitted.result.pairs.labeled_vectors().data()[i], 2);
  // For each pair the difference is L w / theta - w = r / theta, with a residual |r| of at most 1e-5.
  EXPECT_LT(std::sqrt(error), 1e-4);
}

TEST(PredictNeighbors, TrainingPointsKeepTheirLabelsUnderScalingsAndRegularization) {
  std::vector<int32_t> classes;
  Matrix<float> X = points_of(Shape::blobs, 900, 4, classes);
  for (int64_t i = 0; i < 900; ++i) X(i, 0) = 1e3F * X(i, 0) + 500;
  for (const EmbeddingScale scale : {EmbeddingScale::row, EmbeddingScale::none, EmbeddingScale::degree})
    for (const double regularization : {0.0, 0.1}) {
      ClusterOptions options = options_for(3);
      options.embedding_scale = scale;
      options.regularization = regularization;
      options.scale = Scaling::standard;
      options.edge_width = 1;  // a narrow Gaussian has weak points, whose labels a large regularization may change
      EXPECT_GE(Fitted(X, options).agreement(X), 0.999) << int(scale) << ", " << regularization;
    }
}

TEST(PredictNeighbors, NewPointsOfEveryShapeGetTheirClass) {
  for (const Shape shape : {Shape::moons, Shape::rings, Shape::blobs}) {
    std::vector<int32_t> classes;
    const Matrix<float> all = points_of(shape, 4000, 5, classes);
    const Matrix<float> X = rows_between(all, 0, 3000), Y = rows_between(all, 3000, 4000);
    const Fitted fitted(X, options_for(shape == Shape::blobs ? 3 : 2));
    const std::span<const int32_t> of_all(classes);
    const double of_fit = score_labels(of_all.subspan(0, 3000), fitted.result.labels).nmi;
    const double of_new = score_labels(of_all.subspan(3000), predict(fitted.model, Points(Y.view()), 2).labels).nmi;
    EXPECT_GT(of_fit, 0.9) << int(shape);
    EXPECT_NEAR(of_new, of_fit, 0.02) << int(shape);
  }
}

TEST(PredictNeighbors, TheExtensionCanBeFittedToASampleOfRows) {
  std::vector<int32_t> classes;
  Matrix<float> X = points_of(Shape::blobs, 1500, 7, classes);
  for (int64_t i = 1; i < 20; ++i) std::copy_n(X.row(0), X.cols(), X.row(i));
  ClusterOptions options = options_for(3);
  options.cutoff = Cutoff::sharp;
  Fitted fitted(X, options);
  EigenPairs<float> pairs = fitted.result.pairs;
  pairs.residuals.clear();
  const Matrix<double> E = find_extension(fitted.model, pairs, 0, 2);
  for (int64_t a = 0; a < 3; ++a)
    for (int64_t b = 0; b < 3; ++b) EXPECT_NEAR(E(a, b), fitted.model.extension(a, b), 0.01);
  fitted.model.extension = E;
  EXPECT_GE(fitted.agreement(X), 0.999);
}

TEST(PredictNeighbors, BatchesAndThreadsGiveTheSameBits) {
  std::vector<int32_t> classes, new_classes;
  // Enough points for a search by partition.
  const Matrix<float> X = points_of(Shape::moons, 20000, 8, classes), Y = points_of(Shape::moons, 400, 9, new_classes);
  const Fitted fitted(X, options_for(2));
  ASSERT_FALSE(fitted.model.index.leaders.empty());
  const Prediction whole = predict(fitted.model, Points(Y.view()), 1);
  const Prediction threads = predict(fitted.model, Points(Y.view()), 3);
  EXPECT_EQ(bits_of(whole.embedding), bits_of(threads.embedding));
  EXPECT_EQ(whole.labels, threads.labels);
  for (int64_t q = 0; q < 400; q += 37) {
    const Prediction one = predict(fitted.model, Points(Y.view().rows_between(q, q + 1)), 2);
    EXPECT_EQ(bits_of(one.embedding), (std::vector<float>{whole.embedding(q, 0), whole.embedding(q, 1)}));
  }
  EXPECT_GE(fitted.agreement(X), 0.999);
}

TEST(PredictNeighbors, AcceptsCopiesAmongTrainingPointsAndAmongNewPoints) {
  std::vector<int32_t> classes;
  Matrix<float> X = points_of(Shape::blobs, 2000, 10, classes);
  for (int64_t i = 0; i < 2000; ++i)
    if (i % 10 < 7) std::copy_n(X.row(i % 70), X.cols(), X.row(i));
  const Fitted fitted(X, options_for(3));
  EXPECT_LT(fitted.model.index.firsts.size(), 700U);
  EXPECT_GE(fitted.agreement(X), 0.999);
  Matrix<float> Y(5, X.cols());
  for (int64_t i = 0; i < 5; ++i)
    for (int64_t f = 0; f < X.cols(); ++f) Y(i, f) = X(7, f) + 0.01F;
  const Prediction found = predict(fitted.model, Points(Y.view()), 1);
  for (int64_t i = 1; i < 5; ++i) EXPECT_EQ(found.embedding(i, 0), found.embedding(0, 0));
}

TEST(PredictNeighbors, AcceptsOneFeatureAndPointsThatAreEqualOnlyInFloat32) {
  const Matrix<float> noise = testing::random_matrix<float>(600, 1, 11);
  Matrix<double> X(600, 1);
  for (int64_t i = 0; i < 600; ++i) X(i, 0) = 10.0 * double(i % 2) + double(noise(i, 0));
  ClusterOptions options = options_for(2);
  const Clustering result = cluster(Points(X.view()), options);
  const Model model = make_model(Points(X.view()), result);
  Matrix<double> Y = X;
  for (int64_t i = 0; i < 600; ++i) Y(i, 0) *= 1 + 1e-12;
  EXPECT_EQ(predict(model, Points(Y.view()), 1).labels, result.labels);
  EXPECT_EQ(bits_of(predict(model, Points(Y.view()), 1).embedding),
            bits_of(predict(model, Points(X.view()), 1).embedding));
}

TEST(PredictNeighbors, FarPointsGetTheClusterOfTheirNearestPoint) {
  Matrix<float> X = testing::random_matrix<float>(600, 2, 12);
  for (int64_t i = 0; i < 600; ++i) X(i, 0) += i % 2 == 0 ? -40.0F : 40.0F;
  for (const NeighborWeights weights : all_weights) {
    ClusterOptions options = options_for(2);
    options.edge_weights = weights;
    const Fitted fitted(X, options);
    Matrix<float> Y(3, 2);
    Y(0, 0) = -1e4F;
    Y(1, 0) = 1e5F;
    Y(2, 0) = 1e25F;  // its square overflows, and no point is nearer than another in floating point
    const Prediction found = predict(fitted.model, Points(Y.view()), 1);
    EXPECT_EQ(found.isolated_points, 1);
    for (int64_t q = 0; q < 2; ++q) EXPECT_EQ(found.labels[size_t(q)], fitted.result.labels[size_t(q)]) << q;
    for (const float value : bits_of(found.embedding)) EXPECT_TRUE(std::isfinite(value));
  }
}

TEST(PredictNeighbors, APointNearASpeckIsIsolatedLikeTheSpeck) {
  // The speck has 30 points, fewer than n / (50 k) = 40, but more than a list.
  const int64_t n = 4000;
  Matrix<float> X = testing::random_matrix<float>(n, 2, 13);
  for (int64_t i = 0; i < n; ++i) X(i, 0) += i % 2 == 0 ? -10.0F : 10.0F;
  for (int64_t i = 0; i < 30; ++i) X(i, 0) = 1e6F + 0.01F * X(i, 0);
  const Fitted fitted(X, options_for(2));
  ASSERT_EQ(fitted.result.plan.graph->speck_points, 30);
  EXPECT_EQ(fitted.agreement(X), 1);
  Matrix<float> Y(1, 2);
  Y(0, 0) = 1e6F;
  const Prediction found = predict(fitted.model, Points(Y.view()), 1);
  EXPECT_EQ(found.isolated_points, 1);
  EXPECT_EQ(found.labels[0], fitted.result.labels[31]) << "the cluster on the right";
}

TEST(PredictNeighbors, AGraphThatWasNotKeptIsBuiltAgain) {
  std::vector<int32_t> classes;
  const Matrix<float> X = points_of(Shape::blobs, 200, 14, classes);
  ClusterOptions options = options_for(3);
  options.keep_graph = false;
  const Clustering result = cluster(Points(X.view()), options);
  EXPECT_EQ(result.graph, nullptr);
  const Model again = make_model(Points(X.view()), result);
  options.keep_graph = true;
  const Model kept = make_model(Points(X.view()), cluster(Points(X.view()), options));
  EXPECT_EQ(again.graph->starts, kept.graph->starts);
  EXPECT_EQ(again.graph->columns, kept.graph->columns);
  EXPECT_EQ(again.graph->values, kept.graph->values);
  EXPECT_EQ(again.graph->lists, kept.graph->lists);
  EXPECT_EQ(again.graph->reach, kept.graph->reach);
}

TEST(PredictNeighbors, AModelWhosePartsDoNotFitIsRefused) {
  std::vector<int32_t> classes;
  const Matrix<float> X = points_of(Shape::blobs, 200, 15, classes);
  const Fitted fitted(X, options_for(3));
  const auto broken = [&](auto&& change) {
    FittedGraph graph = *fitted.model.graph;
    Model model = fitted.model;
    change(graph, model.index);
    model.graph = std::make_shared<const FittedGraph>(std::move(graph));
    return model;
  };
  const auto expect_refused = [&](const Model& model) {
    EXPECT_THROW(predict(model, Points(X.view()), 1), InvalidInput);
  };
  expect_refused(broken([](FittedGraph& graph, SearchIndex&) { graph.columns[3] = 200; }));
  expect_refused(broken([](FittedGraph& graph, SearchIndex&) { graph.starts.pop_back(); }));
  expect_refused(broken([](FittedGraph& graph, SearchIndex&) { graph.lists.pop_back(); }));
  expect_refused(broken([](FittedGraph& graph, SearchIndex&) { graph.reach.clear(); }));
  expect_refused(broken([](FittedGraph&, SearchIndex& index) { index.firsts.push_back(-1); }));
  expect_refused(broken([](FittedGraph&, SearchIndex& index) { index.probes = 1; }));
  Model without = fitted.model;
  without.graph = nullptr;
  expect_refused(without);
}

}  // namespace
}  // namespace mbsc
