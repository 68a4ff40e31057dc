// SPDX-License-Identifier: Apache-2.0
#include "mbsc/solvers/minibatch/ritz_plan.h"

#include <gtest/gtest.h>

#include <memory>

#include "mbsc/affinity/degrees/sampled_degrees.h"
#include "tests/solvers/ritz_problem.h"

namespace mbsc {
namespace {

using testing::clouds;
using testing::options_for;

TEST(RitzPlan, LandmarksAreWhatTheBudgetPaysForBelowAPassAndWhatIsWorthItFromThenOn) {
  const int64_t points = 20000;
  const Matrix<float> X = clouds<float>(points, 3, 5.0, 1);
  const auto landmarks = [&](double gamma, double passes, std::optional<int64_t> asked = {}) {
    const KernelAffinity<float> A(Points(X.view()), {KernelKind::rbf, gamma}, RowSpace(points, 2));
    const Normalized<float> L(A, sample_degrees(A, 200, 1, {}).degrees, 0);
    ClusterOptions options = options_for(passes);
    options.landmarks = asked;
    return worthwhile_landmarks<float>(facts_of(L), plan_ritz(points, options).sampled, options);
  };
  EXPECT_EQ(landmarks(0.1, 0.01), 200) << "all columns";
  EXPECT_EQ(landmarks(0.1, 0.5), 2000);
  // By n m^2 <= n^2 (cost + k' + 10) / 2 (ritz_plan.h), a pass allows m = a few hundred landmarks. A wide kernel needs
  // no more.
  const int64_t wide = landmarks(0.1, 1);
  EXPECT_GT(wide, 300);
  EXPECT_LT(wide, 700);
  EXPECT_EQ(landmarks(0.1, 3), wide);
  EXPECT_EQ(landmarks(300, 1), 2000) << "eigenvalues crowd";
  EXPECT_EQ(landmarks(0.1, 1, 50), 50) << "as asked for";

  // The clock is not checked before the landmarks are done, so a limit of seconds also limits their number.
  const KernelAffinity<float> A(Points(X.view()), {KernelKind::rbf, 0.1}, RowSpace(points, 2));
  const Normalized<float> L(A, sample_degrees(A, 200, 1, {}).degrees, 0);
  ClusterOptions options = options_for(0.5);
  options.limits.seconds = 0.1;
  const int64_t few = worthwhile_landmarks<float>(facts_of(L), points / 2, options);
  EXPECT_GE(few, 1);
  EXPECT_LT(2.0 * double(points) * double(few * few), 0.25e10 * 0.1);
}

TEST(RitzPlan, SmallDataHasOneBatchFromOnePassOnWhereTheStartIsGood) {
  const int64_t points = 4000;
  const Matrix<float> X = clouds<float>(points, 3, 5.0, 1);
  const auto problem = [&](double gamma, bool sampled) {
    const auto A =
        std::make_shared<KernelAffinity<float>>(Points(X.view()), Kernel{KernelKind::rbf, gamma}, RowSpace(points, 2));
    return std::pair(A, Normalized<float>(*A, sampled ? sample_degrees(*A, 200, 1, {}).degrees : A->degrees({}), 0));
  };
  const auto batches = [&](const Normalized<float>& L, const ClusterOptions& options) {
    const KernelFacts facts = facts_of(L);
    const int64_t landmarks = worthwhile_landmarks<float>(facts, plan_ritz(points, options).sampled, options);
    const int64_t count = worthwhile_batches(facts, landmarks, options);
    if (count == 1) {
      EXPECT_GE(double(landmarks), 5 * facts.wanted_landmarks);
    }
    return count;
  };
  const auto [wide, L] = problem(1e-5, false);
  EXPECT_EQ(batches(L, options_for(1)), 1);
  EXPECT_EQ(batches(L, options_for(3)), 1);
  EXPECT_EQ(batches(L, options_for(0.5)), 4) << "columns are scarce";
  ClusterOptions constant = options_for(1);
  constant.batch_size = 100;
  EXPECT_EQ(batches(L, constant), 4);
  ClusterOptions random = options_for(1);
  random.start = Start::random;
  EXPECT_EQ(worthwhile_batches(facts_of(L), 0, random), 8);
  const auto [narrow, crowded] = problem(10, false);
  EXPECT_EQ(batches(crowded, options_for(1)), 4) << "the start is not good";
  const auto [same, rough] = problem(1e-5, true);
  EXPECT_EQ(batches(rough, options_for(1)), 4) << "degrees are not exact";
}

TEST(RitzPlan, NeighborsAreCollectedWhereThePassHasSeveralBatches) {
  // With this many points, 100 columns are enough for a clear decision. With this many clusters, a step costs about as
  // much as the pass.
  const int64_t points = 10000, clusters = 6, sampled_columns = 100;
  const auto options_for = [](double passes) { return testing::options_for(passes, 3, clusters); };
  const Matrix<float> X = clouds<float>(points, 3, 5.0, 1);
  const KernelAffinity<float> wide(Points(X.view()), {KernelKind::rbf, 1e-5}, RowSpace(points, 2));
  const KernelAffinity<float> narrow(Points(X.view()), {KernelKind::rbf, 10}, RowSpace(points, 2));
  const int64_t kept = neighbors_kept(points);
  ASSERT_GT(kept, 0);
  EXPECT_EQ(neighbors_needed(wide, options_for(1)), 0);
  EXPECT_EQ(wide.kernel_values(), sampled_columns * points) << "what the decision is made from";
  EXPECT_EQ(neighbors_needed(wide, options_for(3)), 0);
  EXPECT_EQ(neighbors_needed(wide, options_for(0.5)), kept) << "columns are scarce";
  ClusterOptions constant = options_for(1);
  constant.batch_size = 100;
  EXPECT_EQ(neighbors_needed(wide, constant), kept);
  EXPECT_EQ(neighbors_needed(narrow, options_for(1)), kept) << "the start is not good";
  const Matrix<float> some = clouds<float>(4000, 3, 5.0, 1);
  const KernelAffinity<float> doubtful(Points(some.view()), {KernelKind::rbf, 1e-5}, RowSpace(4000, 2));
  EXPECT_EQ(neighbors_needed(doubtful, options_for(1)), kept) << "good, but by less than a factor of two";
  const int64_t before = narrow.kernel_values();
  for (const Start start : {Start::random, Start::nystrom, Start::neighbors}) {
    ClusterOptions options = options_for(1);
    options.start = start;
    EXPECT_EQ(neighbors_needed(narrow, options), start == Start::neighbors ? kept : 0);
  }
  EXPECT_EQ(narrow.kernel_values(), before) << "a given start decides it";
}

}  // namespace
}  // namespace mbsc
