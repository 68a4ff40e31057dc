// SPDX-License-Identifier: Apache-2.0
// Tests what resolve() decides before any work, and that cluster() follows its plan.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "mbsc/base/require.h"
#include "mbsc/cluster.h"
#include "mbsc/options/table.h"
#include "tests/affinity/dense_oracle.h"

namespace mbsc {
namespace {

using testing::random_matrix;

std::string method_for(int64_t n, const std::function<void(ClusterOptions&)>& change = {}) {
  ClusterOptions options;
  options.affinity = AffinityKind::rbf;
  if (change) change(options);
  return *resolve({n, 10}, options).options.method;
}

TEST(Resolve, ChoosesExactWhereItIsCheapOrAToleranceAsksForIt) {
  EXPECT_EQ(method_for(1000), "exact");
  EXPECT_EQ(method_for(1000000), "minibatch");
  EXPECT_EQ(method_for(1000000, [](ClusterOptions& o) { o.limits.tolerance = 1e-4; }), "exact");
  EXPECT_EQ(method_for(1000, [](ClusterOptions& o) { o.limits.passes = 1; }), "minibatch");
  EXPECT_EQ(method_for(1000, [](ClusterOptions& o) { o.limits.iterations = 5; }), "minibatch");
  EXPECT_EQ(method_for(1000,
                       [](ClusterOptions& o) {
                         o.limits.passes = 10;
                         o.limits.tolerance = 1e-4;
                       }),
            "exact");
}

TEST(Resolve, ChoosesTheMethodThatAnOptionBelongsTo) {
  EXPECT_EQ(method_for(1000, [](ClusterOptions& o) { o.batch_size = 100; }), "minibatch");
  EXPECT_EQ(method_for(1000, [](ClusterOptions& o) { o.step_rule = StepRule::adagrad; }), "minibatch");
  EXPECT_EQ(method_for(1000000, [](ClusterOptions& o) { o.exact.basis_size = 200; }), "exact");
  EXPECT_EQ(method_for(1000,
                       [](ClusterOptions& o) {
                         o.limits.passes = 1;
                         o.block_size = 20;
                       }),
            "exact");
  // If an option belongs to neither of the two automatic methods, it is refused.
  ClusterOptions options;
  options.power.power_operator = PowerOperator::shifted;
  EXPECT_THROW(resolve({1000, 10}, options), InvalidInput);
}

TEST(Resolve, FillsInEveryValueThatDependsOnTheShapeAlone) {
  ClusterOptions options;
  options.clusters = 5;
  for (const char* method : {"exact", "nystrom", "power", "minibatch"}) {
    options.method = method;
    const Plan plan = resolve({2000, 3}, options);
    EXPECT_EQ(plan.n, 2000);
    EXPECT_EQ(plan.features, 3);
    EXPECT_EQ(plan.options.affinity, AffinityKind::rbf);
    EXPECT_GE(plan.options.threads.value_or(0), 1);
    EXPECT_GT(plan.memory_bytes, 0);
    EXPECT_FALSE(plan.gamma_is_given);
    EXPECT_FALSE(plan.options.gamma.has_value()) << "the data decide";
  }
  options.method = "exact";
  ClusterOptions chosen = resolve({2000, 3}, options).options;
  EXPECT_EQ(chosen.block_size, 9);
  EXPECT_EQ(chosen.exact.basis_size, 300);
  EXPECT_EQ(chosen.start, Start::random);
  options.start = Start::nystrom;
  EXPECT_EQ(resolve({2000, 3}, options).options.landmarks, 10);
  EXPECT_EQ(resolve({6, 3}, options).options.landmarks, 6);
  options.start.reset();
  options.method = "nystrom";
  chosen = resolve({2000, 3}, options).options;
  EXPECT_EQ(chosen.landmarks, 500);
  EXPECT_EQ(chosen.block_size, 5);
  options.method = "power";
  EXPECT_EQ(resolve({2000, 3}, options).options.block_size, 5);
  options.method = "minibatch";
  EXPECT_EQ(resolve({2000, 3}, options).options.guards, 10);
  EXPECT_EQ(resolve({8, 3}, options).options.guards, 3);
  options.step_rule = StepRule::adagrad;
  chosen = resolve({2000, 3}, options).options;
  EXPECT_EQ(chosen.guards, 0);
  EXPECT_EQ(chosen.batch_size, 20);
  EXPECT_EQ(chosen.start, Start::random);
  EXPECT_DOUBLE_EQ(*chosen.adagrad.step, 1 / std::sqrt(2000.0));
}

TEST(Resolve, APlanResolvedAgainIsTheSame) {
  for (const SolverRow* solver : solvers()) {
    ClusterOptions options;
    options.method = solver->method;
    if (solver->method == "transfer") options.affinity = AffinityKind::landmarks;
    options.step_rule = solver->step_rule.value_or(StepRule::ritz);
    const Plan once = resolve({700, 4}, options);
    const Plan twice = resolve({700, 4}, once.options);
    for (const OptionRow& row : option_rows())
      EXPECT_EQ(row.get(once.options), row.get(twice.options)) << solver->name << ", " << row.name;
    EXPECT_EQ(once.memory_bytes, twice.memory_bytes) << solver->name;
  }
}

TEST(Resolve, DegreeColumnsStayWithinAQuarterOfTheBudget) {
  ClusterOptions options;
  options.degrees = DegreeKind::sampled;
  options.method = "minibatch";
  const auto columns = [&](int64_t n) { return *resolve({n, 4}, options).options.degree_columns; };
  EXPECT_EQ(columns(1000), 1000);
  EXPECT_EQ(columns(3000), 2000);
  EXPECT_EQ(columns(1000000), 20000);
  options.limits.passes = 0.8;
  EXPECT_EQ(columns(3000), 480);
  EXPECT_EQ(columns(1000), 160);
  options.limits.passes = 0.2;
  EXPECT_EQ(columns(1000), 100) << "no fewer";
}

TEST(Resolve, AffinityGoesWithTheKindOfInput) {
  const InputShape points{100, 3}, matrix{100, 100, Input::Kind::matrix};
  ClusterOptions options;
  EXPECT_EQ(resolve(points, options).options.affinity, AffinityKind::neighbors);
  EXPECT_EQ(resolve(matrix, options).options.affinity, AffinityKind::precomputed);
  options.affinity = AffinityKind::precomputed;
  EXPECT_THROW(resolve(points, options), InvalidInput);
  EXPECT_NO_THROW(resolve(matrix, options));
  options.affinity = AffinityKind::rbf;
  EXPECT_THROW(resolve(matrix, options), InvalidInput);
  options.affinity.reset();
  options.scale = Scaling::unit;
  EXPECT_NO_THROW(resolve(points, options));
  EXPECT_THROW(resolve(matrix, options), InvalidInput);
  options.scale = Scaling::none;
  options.scale_rows = 10;
  EXPECT_THROW(resolve(points, options), InvalidInput) << "of nothing";
  options.scale_rows.reset();
  options.gamma = 0.5;
  EXPECT_TRUE(resolve(points, options).gamma_is_given);
  EXPECT_THROW(resolve(matrix, options), InvalidInput) << "a matrix has no width";
  options.affinity = AffinityKind::cosine;
  EXPECT_THROW(resolve(points, options), InvalidInput);
}

/// The affinity that is chosen for n points, and the reason.
std::string choice_for(int64_t n, const std::function<void(ClusterOptions&)>& change = {}) {
  ClusterOptions options;
  if (change) change(options);
  try {
    const Plan plan = resolve({n, 10}, options);
    return word_of(words::affinities, *plan.options.affinity) + ": " + plan.affinity_reason;
  } catch (const InvalidInput& error) {
    return error.what();
  }
}

TEST(Resolve, TheAffinityOfPointsFollowsFromTheirNumber) {
  EXPECT_EQ(choice_for(8), "neighbors: there are at most 2000000 points");
  EXPECT_EQ(choice_for(2000000), "neighbors: there are at most 2000000 points");
  EXPECT_EQ(choice_for(2000001), "landmarks: there are more than 2000000 points");
  EXPECT_EQ(choice_for(9000000, [](ClusterOptions& o) { o.neighbors = 12; }), "neighbors: neighbors is given");
  EXPECT_EQ(choice_for(100, [](ClusterOptions& o) { o.affinity = AffinityKind::rbf; }), "rbf: ") << "it is given";
}

TEST(Resolve, LandmarksAreTheFallbackOfNeighborsIfAllOptionsApplyToThem) {
  const auto has_fallback = [](const std::function<void(ClusterOptions&)>& change) {
    ClusterOptions options;
    change(options);
    const Plan plan = resolve({5000, 3}, options);
    if (plan.fallback == nullptr) return false;
    EXPECT_EQ(plan.fallback->options.affinity, AffinityKind::landmarks);
    EXPECT_EQ(plan.fallback->options.method, "transfer");
    EXPECT_TRUE(plan.fallback->is_fallback);
    return true;
  };
  EXPECT_TRUE(has_fallback([](ClusterOptions&) {}));
  EXPECT_TRUE(has_fallback([](ClusterOptions& o) { o.scale = Scaling::unit; }));
  EXPECT_FALSE(has_fallback([](ClusterOptions& o) { o.affinity = AffinityKind::neighbors; }));
  EXPECT_FALSE(has_fallback([](ClusterOptions& o) { o.affinity = AffinityKind::rbf; }));
  EXPECT_FALSE(has_fallback([](ClusterOptions& o) { o.neighbors = 7; }));
  EXPECT_FALSE(has_fallback([](ClusterOptions& o) { o.recall = 0.9; }));
  EXPECT_FALSE(has_fallback([](ClusterOptions& o) { o.cutoff = Cutoff::sharp; }));
}

TEST(Resolve, AGraphThatFallsApartIsReplacedByLandmarksUnlessItWasAskedFor) {
  // Eight clouds in two rows of four. Three clusters cannot be the eight components.
  const int64_t n = 1600;
  Matrix<float> X = random_matrix<float>(n, 2, 11);
  for (int64_t i = 0; i < n; ++i) {
    X(i, 0) += 40.0F * float(i % 4);
    X(i, 1) += 40.0F * float(i / 4 % 2);
  }
  ClusterOptions options;
  options.clusters = 3;
  options.scale = Scaling::standard;
  const Clustering result = cluster(Points(X.view()), options);
  EXPECT_EQ(result.plan.options.affinity, AffinityKind::landmarks);
  EXPECT_EQ(result.plan.affinity_reason, "the neighbor graph has 8 large components");
  EXPECT_TRUE(result.landmarks.has_value());
  EXPECT_EQ(result.plan.scale.size(), 2u);
  EXPECT_EQ(result.cluster_sizes.size(), 3u);
  options.affinity = AffinityKind::neighbors;
  EXPECT_EQ(cluster(Points(X.view()), options).plan.options.affinity, AffinityKind::neighbors);
  options.affinity.reset();
  options.clusters = 8;
  const Clustering clouds = cluster(Points(X.view()), options);
  EXPECT_EQ(clouds.plan.options.affinity, AffinityKind::neighbors) << "the components are the clusters";
  EXPECT_EQ(clouds.cluster_sizes, std::vector<int64_t>(8, 200));
}

TEST(Resolve, AnOptionThatOnlySomeAffinitiesHaveChoosesOneOfThem) {
  using O = ClusterOptions;
  EXPECT_EQ(choice_for(1000, [](O& o) { o.gamma = 1; }), "rbf: gamma is given");
  EXPECT_EQ(choice_for(1000, [](O& o) { o.limits.passes = 1; }), "rbf: passes is given");
  EXPECT_EQ(choice_for(1000, [](O& o) { o.degrees = DegreeKind::sampled; }), "rbf: degrees is given");
  EXPECT_EQ(choice_for(1000, [](O& o) { o.cache = 1000; }), "rbf: cache is given");
  EXPECT_EQ(choice_for(1000, [](O& o) { o.guards = 3; }), "rbf: guards is given");
  EXPECT_EQ(choice_for(1000, [](O& o) { o.start = Start::random; }), "rbf: start is given");
  for (const char* method : {"minibatch", "exact", "nystrom", "power"})
    EXPECT_EQ(choice_for(1000, [&](O& o) { o.method = method; }), std::string("rbf: method is ") + method);
  EXPECT_EQ(choice_for(1000, [](O& o) { apply_preset("paper", 1000, o); }), "rbf: method is minibatch");
  EXPECT_EQ(choice_for(9000000, [](O& o) { o.gamma = 1; }), "rbf: gamma is given");
  EXPECT_EQ(choice_for(1000, [](O& o) { o.landmarks = 50; }), "landmarks: landmarks is given");
  EXPECT_EQ(choice_for(1000, [](O& o) { o.method = "transfer"; }), "landmarks: method is transfer");
  EXPECT_EQ(choice_for(9000000, [](O& o) { o.method = "chebyshev"; }), "neighbors: method is chebyshev");
  EXPECT_EQ(choice_for(9000000, [](O& o) { o.edges = EdgeRule::mutual; }), "neighbors: edges is given");
  for (const auto& change : std::vector<std::function<void(O&)>>{
           [](O& o) { o.limits.tolerance = 1e-4; }, [](O& o) { o.limits.seconds = 5; },
           [](O& o) { o.limits.iterations = 5; }, [](O& o) { o.assign = Assign::cluster_qr; },
           [](O& o) { o.regularization = 0.1; }, [](O& o) { o.scale = Scaling::unit; }, [](O& o) { o.seed = 3; }})
    EXPECT_EQ(choice_for(1000, change), "neighbors: there are at most 2000000 points") << "it applies to all";
  EXPECT_EQ(choice_for(1000,
                       [](O& o) {
                         o.gamma = 1;
                         o.neighbors = 5;
                       }),
            "affinity must be given, because gamma and neighbors do not choose the same one");
}

TEST(Resolve, MoreMemoryIsEstimatedForMoreAndLessForEachOfSeveralRanks) {
  ClusterOptions options;
  options.threads = 1;
  for (const char* method : {"exact", "nystrom", "power", "minibatch"}) {
    options.method = method;
    const int64_t small = resolve({10000, 10}, options).memory_bytes;
    EXPECT_GT(small, 10000 * 8 * 4) << method << ": the vectors alone";
    const int64_t large = resolve({1000000, 10}, options).memory_bytes;
    EXPECT_GT(large, small + 990000 * 8 * 4) << method;
    EXPECT_LT(resolve({1000000, 10, Input::Kind::points, 8}, options).memory_bytes, large) << method;
  }
  options.method = "exact";
  const int64_t without = resolve({100000, 10}, options).memory_bytes;
  options.cache = int64_t{1} << 30;
  EXPECT_EQ(resolve({100000, 10}, options).memory_bytes, without + options.cache);
}

TEST(Resolve, ThePresetOfThePaperHasItsSettings) {
  ClusterOptions options;
  options.clusters = 4;
  apply_preset("paper", 5000, options);
  const ClusterOptions chosen = resolve({5000, 8}, options).options;
  EXPECT_EQ(chosen.method, "minibatch");
  EXPECT_EQ(chosen.step_rule, StepRule::adagrad);
  EXPECT_EQ(chosen.batch_size, 100);
  EXPECT_EQ(chosen.start, Start::nystrom);
  EXPECT_EQ(chosen.landmarks, 10);
  EXPECT_EQ(chosen.guards, 0);
  EXPECT_EQ(chosen.regularization, 0);
  EXPECT_EQ(chosen.embedding_scale, EmbeddingScale::none);
  ClusterOptions tiny;
  tiny.clusters = 2;
  apply_preset("paper", 6, tiny);
  EXPECT_EQ(resolve({6, 2}, tiny).options.batch_size, 6);
  for (const char* method : {"exact", "nystrom", "power"}) {
    ClusterOptions other;
    other.method = method;
    apply_preset("paper", 5000, other);
    EXPECT_NO_THROW(resolve({5000, 8}, other)) << method;
    EXPECT_EQ(other.regularization, 0);
  }
  EXPECT_THROW(apply_preset("no such paper", 5000, options), InvalidInput);
}

TEST(Resolve, ClusterKeepsToThePlanAndWritesBackWhatTheDataDecided) {
  const Matrix<float> X = random_matrix<float>(400, 3, 1);
  for (const char* method : {"exact", "nystrom", "power", "minibatch"}) {
    ClusterOptions options;
    options.clusters = 3;
    options.method = method;
    const Plan plan = resolve({400, 3}, options);
    const Clustering result = cluster(Points(X.view()), options);
    for (const OptionRow& row : option_rows()) {
      const OptionValue planned = row.get(plan.options), used = row.get(result.plan.options);
      const bool is_of_the_data = row.name == "gamma" || row.name == "landmarks" || row.name == "start";
      if (is_of_the_data && std::holds_alternative<std::monostate>(planned)) continue;
      EXPECT_EQ(planned, used) << method << ", " << row.name;
    }
    EXPECT_GT(result.plan.options.gamma.value_or(0), 0);
    EXPECT_FALSE(result.plan.gamma_is_given);
    EXPECT_EQ(result.plan.memory_bytes, plan.memory_bytes);
    if (options.method == "minibatch") {
      EXPECT_TRUE(result.plan.options.start.has_value());
      EXPECT_EQ(result.plan.options.landmarks, result.pairs.landmarks);
    }
  }
}

}  // namespace
}  // namespace mbsc
