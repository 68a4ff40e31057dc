// SPDX-License-Identifier: Apache-2.0
#include "mbsc/solvers/minibatch/graph_start.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "mbsc/cluster.h"
#include "mbsc/solvers/minibatch/minibatch.h"
#include "mbsc/solvers/minibatch/ritz_plan.h"
#include "mbsc/solvers/rayleigh_ritz.h"
#include "tests/solvers/ritz_problem.h"

namespace mbsc {
namespace {

using Eigen::MatrixXd;
using testing::clouds;
using testing::DenseProblem;
using testing::random_matrix;
using testing::to_eigen;

/// Two rings, one inside the other.
template <class T>
Matrix<T> rings(int64_t n, uint64_t seed) {
  const Matrix<T> noise = random_matrix<T>(n, 2, seed);
  Matrix<T> X(n, 2);
  for (int64_t i = 0; i < n; ++i) {
    const double angle = 2 * std::numbers::pi * double(i) / double(n) * 13, radius = i % 2 == 0 ? 1.0 : 0.5;
    X(i, 0) = T(radius * std::cos(angle) + 0.03 * double(noise(i, 0)));
    X(i, 1) = T(radius * std::sin(angle) + 0.03 * double(noise(i, 1)));
  }
  return X;
}

/// Options for k clusters.
ClusterOptions options_for(int64_t k, double passes, uint64_t seed = 1) {
  return testing::options_for(passes, seed, k);
}

TEST(GraphStart, KnowsTheLeadingEigenvectorsOfANarrowKernel) {
  for (const double regularization : {0.0, 0.01}) {
    const DenseProblem<float> p(rings<float>(1200, 1), 60, regularization);
    const Degrees degrees = p.A.degrees({}, {}, 16);
    const Matrix<float> W = graph_block(p.L, *degrees.graph, 6, options_for(2, 1));
    const double error = p.error(to_eigen(W), 2);
    fmt::print("regularization {}: block error {:.3f}\n", regularization, error);
    EXPECT_LT(error, 0.1) << "a random block has about 1";
    EXPECT_LT(testing::departure(to_eigen(W)), 1e-5);
  }
}

TEST(GraphStart, EnergyIsUnbiasedAndItsErrorTheOneItStates) {
  for (const double regularization : {0.0, 0.1}) {
    const DenseProblem<double> p(clouds<double>(400, 3, 5.0, 1), 3.0, regularization);
    const Matrix<double> first = random_basis(p.L, 4, 1), second = [&] {
      Matrix<double> W(400, 4);
      for (int64_t i = 0; i < 400; ++i)
        for (int64_t c = 0; c < 4; ++c) W(i, c) = p.vectors(i, c);
      return W;
    }();
    const auto trace = [&](const Matrix<double>& W) {
      return (to_eigen(W).transpose() * p.dense * to_eigen(W)).trace();
    };
    const double exact = trace(first) - trace(second);
    double sum = 0, squares = 0, claimed = 0;
    constexpr int draws = 400;
    for (int draw = 0; draw < draws; ++draw) {
      const EnergyEstimate e = compare_energy<double>(p.L, first, second, 48, options_for(2, 1, uint64_t(draw)));
      sum += e.difference / draws;
      squares += e.difference * e.difference / draws;
      claimed += e.standard_error * e.standard_error / draws;
    }
    const double variance = squares - sum * sum, z = (sum - exact) / std::sqrt(variance / draws);
    fmt::print("exact {:.3f}, mean {:.3f}, z {:.2f}, variance claimed / seen {:.2f}\n", exact, sum, z,
               claimed / variance);
    EXPECT_LT(std::abs(z), 4);
    // The observed variance has a relative error of sqrt(2/400) = 7 %. The claimed variance has one of 3 %, from 400
    // draws with 7 degrees of freedom each. The bound is three times both together, and a margin: samples that are
    // spread evenly have a little less variance than they claim.
    EXPECT_NEAR(claimed / variance, 1, 0.25);
  }
}

TEST(GraphStart, NeedsFewLandmarksBesideIt) {
  const Matrix<float> X = rings<float>(3500, 1);
  const KernelAffinity<float> narrow(Points(X.view()), {KernelKind::rbf, 1000}, RowSpace(X.rows(), 1));
  const Normalized<float> without(narrow, narrow.degrees({}), 0);
  const Normalized<float> with_graph = without.with(narrow.degrees({}, {}, 16));
  const auto landmarks = [](const Normalized<float>& L, const ClusterOptions& options) {
    return worthwhile_landmarks<float>(facts_of(L), 3500, options);
  };
  EXPECT_GT(landmarks(without, options_for(2, 1)), 400);
  EXPECT_EQ(landmarks(with_graph, options_for(2, 1)), 400);
  EXPECT_GT(landmarks(with_graph, options_for(2, 0.9)), 400) << "columns are scarce";
  ClusterOptions options = options_for(2, 1);
  options.start = Start::nystrom;
  EXPECT_GT(landmarks(with_graph, options), 400);
}

TEST(GraphStart, IsTakenWhereLandmarksAreTooFewAndOnlyThere) {
  const DenseProblem<float> narrow(rings<float>(1200, 1), 300), wide(clouds<float>(600, 3, 5.0, 1), 0.3);
  const auto solved = [](const DenseProblem<float>& p, ClusterOptions options) {
    const Normalized<float> L = p.L.with(p.A.degrees({}, {}, 16));
    return solve_minibatch<float>(L, options);
  };
  ClusterOptions options = options_for(2, 1);
  options.keep_block = true;
  const EigenPairs<float> graph = solved(narrow, options);
  EXPECT_TRUE(graph.start_is_graph);
  EXPECT_LE(graph.columns_evaluated, 1200);
  const double error = narrow.error(to_eigen(graph.vectors), 2);
  ClusterOptions nystrom = options_for(2, 1);
  nystrom.start = Start::nystrom;
  const EigenPairs<float> landmarks = solved(narrow, nystrom);
  EXPECT_FALSE(landmarks.start_is_graph);
  const double other = narrow.error(to_eigen(landmarks.vectors), 2), block = narrow.error(to_eigen(graph.block), 2);
  fmt::print("narrow: error {:.3f} from neighbors ({:.3f} of the block), {:.3f} from landmarks\n", error, block, other);
  EXPECT_LT(block, 0.1);
  EXPECT_LT(error, 0.5 * other);
  EXPECT_FALSE(solved(wide, options_for(3, 1)).start_is_graph);
  ClusterOptions counted = options_for(2, 1);
  counted.landmarks = 60;
  const EigenPairs<float> few = solved(narrow, counted);
  EXPECT_TRUE(few.start_is_graph) << "a number of landmarks is no choice of the start";
  EXPECT_EQ(few.landmarks, 60);

  ClusterOptions forced = options_for(3, 1);
  forced.start = Start::neighbors;
  EXPECT_TRUE(solved(wide, forced).start_is_graph);
  EXPECT_THROW(solve_minibatch<float>(wide.L, forced), InvalidInput) << "no graph";
}

TEST(GraphStart, IsRefusedWhereNothingCanStartFromIt) {
  ClusterOptions options = options_for(3, 1);
  options.start = Start::neighbors;
  const auto accepts = [&](int64_t points) {
    try {
      resolve({points, 2}, options);
      return true;
    } catch (const InvalidInput&) {
      return false;
    }
  };
  options.method = "minibatch";
  EXPECT_TRUE(accepts(600));
  EXPECT_FALSE(accepts((int64_t{1} << 20) + 1)) << "too many entries to keep";
  options.degrees = DegreeKind::sampled;
  EXPECT_FALSE(accepts(600)) << "no pass that finds them";
  options.degrees = DegreeKind::exact;
  options.step_rule = StepRule::adagrad;
  EXPECT_FALSE(accepts(600)) << "AdaGrad's start is random or Nystrom's";
  options.step_rule = StepRule::ritz;
  for (const char* method : {"exact", "nystrom", "power"}) {
    options.method = method;
    EXPECT_FALSE(accepts(600)) << method;
  }
}

}  // namespace
}  // namespace mbsc
