// SPDX-License-Identifier: Apache-2.0
// Mini-batches with Ritz steps: the parts.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numeric>

#include "mbsc/affinity/sampled_degrees.h"
#include "mbsc/base/random.h"
#include "mbsc/base/require.h"
#include "mbsc/solvers/batch_memory.h"
#include "mbsc/solvers/importance.h"
#include "mbsc/solvers/rayleigh_ritz.h"
#include "mbsc/solvers/ritz_plan.h"
#include "mbsc/solvers/ritz_step.h"
#include "mbsc/solvers/solver.h"
#include "tests/solvers/ritz_problem.h"

namespace mbsc {
namespace {

using Eigen::MatrixXd;
using testing::clouds;
using testing::DenseProblem;
using testing::k;
using testing::n;
using testing::options_for;
using testing::problem;
using testing::to_eigen;

std::vector<int64_t> drawn(int64_t count, uint64_t key) {
  const KeyedPermutation permutation(n, Random(7, Stream::test), key);
  std::vector<int64_t> columns;
  for (int64_t i = 0; i < count; ++i) columns.push_back(permutation(i));
  return columns;
}

/// One batch in four parts.
void add_columns(BatchMemory<double>& memory, const Matrix<double>& W, const std::vector<int64_t>& columns,
                 const NystromModel<double>* model) {
  const auto count = int64_t(columns.size());
  for (int64_t part = 0; part < 4; ++part) {
    std::vector<int64_t> share(columns.begin() + count * part / 4, columns.begin() + count * (part + 1) / 4);
    std::sort(share.begin(), share.end());
    memory.add(share, W, model, {});
  }
}

/// G = W (W'G) + H of one batch of `count` columns in four parts, with the given columns certain.
MatrixXd estimate_once(const Matrix<double>& W, const std::vector<uint8_t>& certain, const NystromModel<double>* model,
                       int64_t count, uint64_t key, double* noise = nullptr,
                       const SparsePart<double>* known = nullptr) {
  BatchMemory<double> memory(problem().L, W.cols(), certain, nullptr, known);
  std::vector<int64_t> sure, columns;
  for (int64_t j = 0; j < n; ++j)
    if (certain[size_t(j)]) sure.push_back(j);
  if (!sure.empty()) memory.add_certain(sure, W, {});
  for (const int64_t j : drawn(n, key))
    if (!certain[size_t(j)] && int64_t(columns.size()) < count) columns.push_back(j);
  add_columns(memory, W, columns, model);
  memory.end_batch(W, model);
  const auto e = memory.estimate(W, model);
  if (noise) *noise = e.noise.trace();
  return to_eigen(W) * e.projected + to_eigen(e.H);
}

TEST(BatchMemory, EstimateIsUnbiasedWithAndWithoutCertainColumnsAndModel) {
  const DenseProblem<double>& p = problem();
  const Matrix<double> W = random_basis(p.L, 4, options_for(1));
  const MatrixXd exact = p.dense * to_eigen(W);
  const NystromModel<double> model(p.L, important_columns(p.L, 60, true, 1), 20, {});
  for (const bool sure : {false, true})
    for (const NystromModel<double>* with : {(const NystromModel<double>*)nullptr, &model}) {
      std::vector<uint8_t> certain(n);
      for (int64_t j = 0; sure && j < n; j += 10) certain[size_t(j)] = 1;
      constexpr int draws = 1500;
      MatrixXd mean = MatrixXd::Zero(n, 4), squares = mean;
      double noise = 0, spread = 0;
      for (int draw = 0; draw < draws; ++draw) {
        double claimed = 0;
        const MatrixXd G = estimate_once(W, certain, with, 80, uint64_t(draw), &claimed);
        mean += G / draws;
        squares += (G - exact).cwiseAbs2() / draws;
        const MatrixXd error = G - exact, basis = to_eigen(W);
        spread += (error - basis * (basis.transpose() * error)).squaredNorm() / draws;
        noise += claimed / draws;
      }
      const MatrixXd z = (mean - exact).cwiseQuotient((squares / draws).cwiseSqrt());
      fmt::print("certain {}, model {}: |z| rms {:.3f}, largest {:.2f}; noise claimed / seen {:.3f}\n", sure,
                 with != nullptr, std::sqrt(z.squaredNorm() / double(z.size())), z.cwiseAbs().maxCoeff(),
                 noise / spread);
      // 2,400 entries, dependent; the weight of the control variate is fitted to the sample, which costs a little.
      EXPECT_LT(z.cwiseAbs().maxCoeff(), 5.5);
      EXPECT_NEAR(noise / spread, 1, 0.15);
    }
}

TEST(BatchMemory, IsExactWhenEveryColumnIsSeen) {
  const Matrix<double> W = random_basis(problem().L, 4, options_for(1));
  const NystromModel<double> model(problem().L, important_columns(problem().L, 60, true, 1), 20, {});
  const MatrixXd exact = problem().dense * to_eigen(W);
  for (const NystromModel<double>* with : {(const NystromModel<double>*)nullptr, &model})
    EXPECT_LT((estimate_once(W, std::vector<uint8_t>(n), with, n, 1) - exact).norm(), 1e-10);
}

/// The largest entries of each row, and a model without them.
struct KnownEntries {
  explicit KnownEntries(int64_t each)
      : degrees(problem().A.degrees({}, {}, each)),
        known(problem().L.rows(), *degrees.graph, problem().L.inverse_root_degrees()),
        model(start_model()) {
    model.leave_out(*degrees.graph);
  }
  static NystromModel<double> start_model() {
    return NystromModel<double>(problem().L, important_columns(problem().L, 60, true, 1), 20, {});
  }
  Degrees degrees;
  SparsePart<double> known;
  NystromModel<double> model;
};

TEST(BatchMemory, KnownEntriesLeaveTheEstimatesUnbiasedWithLessNoise) {
  const KnownEntries part(16);
  const NystromModel<double> whole_model = KnownEntries::start_model();
  const Matrix<double> W = random_basis(problem().L, 4, options_for(1));
  const MatrixXd exact = problem().dense * to_eigen(W), basis = to_eigen(W);
  std::vector<uint8_t> certain(n);
  for (int64_t j = 0; j < n; j += 10) certain[size_t(j)] = 1;
  constexpr int draws = 1500;
  for (const bool with_model : {false, true}) {
    MatrixXd mean = MatrixXd::Zero(n, 4), squares = mean;
    double noise = 0, spread = 0, plain_noise = 0;
    for (int draw = 0; draw < draws; ++draw) {
      double claimed = 0, plain = 0;
      const MatrixXd G = estimate_once(W, certain, with_model ? &part.model : nullptr, 80, uint64_t(draw), &claimed,
                                       &part.known);
      estimate_once(W, certain, with_model ? &whole_model : nullptr, 80, uint64_t(draw), &plain);
      mean += G / draws;
      squares += (G - exact).cwiseAbs2() / draws;
      const MatrixXd error = G - exact;
      spread += (error - basis * (basis.transpose() * error)).squaredNorm() / draws;
      noise += claimed / draws;
      plain_noise += plain / draws;
    }
    const MatrixXd z = (mean - exact).cwiseQuotient((squares / draws).cwiseSqrt());
    fmt::print("16 entries known, model {}: |z| largest {:.2f}; noise claimed / seen {:.3f}, / without {:.3f}\n",
               with_model, z.cwiseAbs().maxCoeff(), noise / spread, noise / plain_noise);
    EXPECT_LT(z.cwiseAbs().maxCoeff(), 5.5);
    EXPECT_NEAR(noise / spread, 1, 0.15);
    EXPECT_LT(noise, 0.8 * plain_noise);
    const MatrixXd complete =
        estimate_once(W, certain, with_model ? &part.model : nullptr, n, 1, nullptr, &part.known);
    EXPECT_LT((complete - exact).norm(), 1e-7 * exact.norm());
  }
  // All entries known, nothing is left to sample: exact from any few columns.
  const KnownEntries all(n - 1);
  EXPECT_LT((estimate_once(W, certain, &all.model, 20, 3, nullptr, &all.known) - exact).norm(), 1e-5 * exact.norm());
}

TEST(SparsePart, IsLOnTheEdges) {
  const KnownEntries part(8);
  Matrix<double> unit(n, n), entries(n, n);
  for (int64_t i = 0; i < n; ++i) unit(i, i) = 1;
  part.known.add(2, unit, entries);
  Matrix<double> of_model(n, n);
  part.model.multiply_sampled(unit, of_model);
  int64_t edges = 0;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j) {
      if (entries(i, j) == 0) continue;
      ++edges;
      EXPECT_NEAR(entries(i, j), 2 * problem().dense(i, j), 1e-6 * problem().dense(i, j));
      EXPECT_NEAR(of_model(i, j), 0, 1e-12) << "the model has left it out";
    }
  EXPECT_EQ(edges, int64_t(part.degrees.graph->values.size()));
  EXPECT_GE(edges, 8 * n);
}

TEST(NystromModel, HasTheRowSumsOfLWhereDegreesAreExact) {
  for (const double regularization : {0.0, 0.1}) {
    const DenseProblem<double> p(clouds<double>(n, 3, 5.0, 1), 0.5, regularization);
    const NystromModel<double> model(p.L, important_columns(p.L, 60, true, 1), 20, {});
    Matrix<double> u(n, 1), image(n, 1);
    for (int64_t i = 0; i < n; ++i) u(i, 0) = 1 / p.L.inverse_root_degree(i);
    model.multiply(u, image);
    for (int64_t i = 0; i < n; ++i) EXPECT_NEAR(image(i, 0), u(i, 0), 1e-10 * u(i, 0));
    // With sampled degrees these are not the row sums of L, and the model does not pretend so.
    const Normalized<double> rough = p.L.with(sample_degrees(p.A, 100, 5, {}).degrees);
    const NystromModel<double> rough_model(rough, important_columns(rough, 60, true, 1), 20, {});
    for (int64_t i = 0; i < n; ++i) u(i, 0) = 1 / rough.inverse_root_degree(i);
    rough_model.multiply(u, image);
    EXPECT_GT((to_eigen(image) - to_eigen(u)).norm(), 1e-3 * to_eigen(u).norm());
  }
}

TEST(NystromModel, PointsThatNoLandmarkKnowsAreNoEigenvectors) {
  Matrix<double> X = clouds<double>(n, 2, 3.0, 1);
  for (int64_t i = 0; i < 20; ++i) X(i, 0) = 40 + 5 * double(i / 2), X(i, 1) = 40 + double(i % 2);  // ten far pairs
  const KernelAffinity<double> affinity(Points(X.view()), {KernelKind::rbf, 0.5}, RowSpace(n, 2));
  const Normalized<double> L(affinity, affinity.degrees({}), 0.01);
  std::vector<int64_t> landmarks;
  for (int64_t j = 20; j < n; j += 10) landmarks.push_back(j);
  NystromModel<double> model(L, landmarks, 40, {});
  const Matrix<double> W = model.leading(6, options_for(1));
  Matrix<double> unit(n, 20), image(n, 20);
  for (int64_t i = 0; i < 20; ++i) unit(i, i) = 1;
  model.multiply(unit, image);
  for (int64_t i = 0; i < 20; ++i) {
    EXPECT_LT(to_eigen(W).row(i).norm(), 0.1);
    EXPECT_LT(image(i, i), 0.5) << "their whole row, 1, would be on the diagonal";
  }
}

TEST(BatchMemory, ProjectionIsUnbiasedAndNoNoisierThanItSays) {
  const Matrix<double> W = random_basis(problem().L, 4, options_for(1));
  const MatrixXd basis = to_eigen(W), exact = basis.transpose() * problem().dense * basis;
  const NystromModel<double> model(problem().L, important_columns(problem().L, 60, true, 1), 20, {});
  for (const NystromModel<double>* with : {(const NystromModel<double>*)nullptr, &model})
    for (const int64_t count : {60, 300, 540}) {
      constexpr int draws = 800;
      MatrixXd mean = MatrixXd::Zero(4, 4), squares = mean;
      double claimed = 0;
      for (int draw = 0; draw < draws; ++draw) {
        BatchMemory<double> memory(problem().L, 4, std::vector<uint8_t>(n));
        add_columns(memory, W, drawn(count, uint64_t(draw)), with);
        memory.end_batch(W, with);
        const auto e = memory.estimate(W, with);
        mean += e.projected / draws;
        squares += (e.projected - exact).cwiseAbs2() / draws;
        claimed += e.projected_noise.sum() / draws;
      }
      const double z = (mean - exact).cwiseQuotient((squares / draws).cwiseSqrt()).cwiseAbs().maxCoeff();
      fmt::print("{} columns, model {}: largest |z| {:.2f}, noise claimed / seen {:.2f}\n", count, with != nullptr, z,
                 claimed / squares.sum());
      // 16 entries, six times: the largest of 96 normal |z| is above 4.5 once in 1,500. The claim is an upper bound
      // (the symmetric part of W'G has about half its noise), known to a few percent; far above it would be of no use.
      EXPECT_LT(z, 4.5);
      EXPECT_GT(claimed / squares.sum(), 0.9);
      EXPECT_LT(claimed / squares.sum(), 4);
    }
}

TEST(BatchMemory, ProjectionFollowsAChangeOfTheBlockToSecondOrder) {
  const Matrix<double> W = random_basis(problem().L, 4, options_for(1));
  std::vector<double> errors;
  for (const double change : {1e-2, 1e-3}) {
    BatchMemory<double> memory(problem().L, 4, std::vector<uint8_t>(n));
    add_columns(memory, W, drawn(n, 0), nullptr);
    memory.end_batch(W, nullptr);
    Matrix<double> next = random_basis(problem().L, 4, options_for(1, 77));
    for (int64_t i = 0; i < next.size(); ++i) next.data()[i] = W.data()[i] + change * next.data()[i];
    orthonormalize_in_order<double>(problem().L.rows(), next, options_for(1));
    memory.turn(gram<double>(problem().L.rows(), W, next));
    const MatrixXd basis = to_eigen(next);
    errors.push_back((memory.estimate(next, nullptr).projected - basis.transpose() * problem().dense * basis).norm());
  }
  fmt::print("errors {:.1e} {:.1e}\n", errors[0], errors[1]);
  EXPECT_LT(errors[1], errors[0] / 50);
}

TEST(BatchMemory, KeptColumnsCountLikeCertainOnes) {
  const Matrix<double> W = random_basis(problem().L, 4, options_for(1));
  const std::vector<int64_t> landmarks = important_columns(problem().L, 60, true, 1);
  const auto kept = nystrom_basis(problem().L, landmarks, 10, {}).kept;
  std::vector<uint8_t> certain(n);
  for (const int64_t j : landmarks) certain[size_t(j)] = 1;
  BatchMemory<double> evaluated(problem().L, 4, certain), remembered(problem().L, 4, certain);
  evaluated.add_certain(landmarks, W, {});
  remembered.add_kept(kept, W);
  const auto a = evaluated.estimate(W, nullptr), b = remembered.estimate(W, nullptr);
  EXPECT_LT((to_eigen(a.H) - to_eigen(b.H)).norm(), 1e-12);
  EXPECT_LT((a.projected - b.projected).norm(), 1e-12);
}

TEST(BatchMemory, RescaledToBetterDegreesItIsAsIfItHadHadThemFromTheBeginning) {
  const DenseProblem<double> p(clouds<double>(n, 3, 5.0, 1), 0.5, 0.1);
  const Normalized<double> rough = p.L.with(sample_degrees(p.A, 100, 5, {}).degrees);
  const Rescaling<double> by(rough, p.L);
  const std::vector<int64_t> landmarks = important_columns(rough, 60, true, 1);
  std::vector<uint8_t> certain(n);
  for (const int64_t j : landmarks) certain[size_t(j)] = 1;
  KeptColumns<double> kept = nystrom_basis(rough, landmarks, 10, {}).kept;
  std::vector<int64_t> columns;
  for (const int64_t j : drawn(n, 1))
    if (!certain[size_t(j)] && columns.size() < 200) columns.push_back(j);

  Matrix<double> W = random_basis(rough, 4, options_for(1));
  BatchMemory<double> early(rough, 4, certain), late(p.L, 4, certain);
  early.add_kept(kept, W);
  add_columns(early, W, columns, nullptr);
  early.end_batch(W, nullptr);
  early.rescale(by);
  by.divide_rows(W);
  rescale(by, kept);
  late.add_kept(kept, W);
  add_columns(late, W, columns, nullptr);
  late.end_batch(W, nullptr);
  const auto a = early.estimate(W, nullptr), b = late.estimate(W, nullptr);
  EXPECT_LT((to_eigen(a.H) - to_eigen(b.H)).norm(), 1e-10);
  EXPECT_LT((a.projected - b.projected).norm(), 1e-10);
  const KeptColumns<double> exact = nystrom_basis(p.L, landmarks, 10, {}).kept;
  EXPECT_LT((to_eigen(kept.values) - to_eigen(exact.values)).norm(), 1e-10);
}

TEST(BatchMemory, TellsTheDegreesByCertainColumnsThatAreNotKeptAndByTheOthers) {
  const DenseProblem<double>& p = problem();
  const Degrees sampled = sample_degrees(p.A, 100, 5, {}).degrees;
  ASSERT_GT(degree_error(p.L.rows(), sampled).largest, 0.01);
  const Normalized<double> rough = p.L.with(sampled);
  DegreeTally tally(p.L.rows(), sampled, true);
  std::vector<uint8_t> certain(n);
  const std::vector<int64_t> sure = important_columns(rough, 60, true, 1);
  for (const int64_t j : sure) certain[size_t(j)] = 1;
  std::vector<int64_t> others;
  for (const int64_t j : drawn(n, 1))
    if (!certain[size_t(j)]) others.push_back(j);
  const Matrix<double> W = random_basis(rough, 4, options_for(1));
  BatchMemory<double> memory(rough, 4, certain, &tally);
  for (int twice = 0; twice < 2; ++twice) memory.add_certain(sure, W, {});  // anew for each step: counted once
  add_columns(memory, W, others, nullptr);
  const Degrees now = tally.degrees(memory.others());
  const Degrees exact = p.A.degrees({});
  for (size_t i = 0; i < size_t(n); ++i) EXPECT_NEAR(now.sum[i], exact.sum[i], 1e-10 * exact.sum[i]);
}

TEST(NystromModel, RescaledToBetterDegreesItModelsTheBetterMatrix) {
  const DenseProblem<double> p(clouds<double>(n, 3, 5.0, 1), 0.5, 0.1);
  const Normalized<double> rough = p.L.with(sample_degrees(p.A, 100, 5, {}).degrees);
  std::vector<int64_t> all(n);
  std::iota(all.begin(), all.end(), int64_t{0});
  NystromModel<double> model(rough, all, n, {});
  const Matrix<double> W = random_basis(p.L, 4, options_for(1));
  Matrix<double> image(n, 4), sampled(n, 4), flat(n, 4);
  const MatrixXd exact = p.dense * to_eigen(W);
  p.L.add_exact(W, flat);
  const MatrixXd exact_sampled = exact - to_eigen(flat);
  model.multiply_sampled(W, sampled);
  EXPECT_GT((to_eigen(sampled) - exact_sampled).norm(), 1e-2 * exact_sampled.norm());
  model.rescale(Rescaling<double>(rough, p.L));
  model.multiply_sampled(W, sampled);
  EXPECT_LT((to_eigen(sampled) - exact_sampled).norm(), 1e-3 * exact_sampled.norm());
}

TEST(RitzPlan, LandmarksAreWhatTheBudgetPaysForBelowAPassAndWhatIsWorthItFromThenOn) {
  const int64_t points = 20000;
  const Matrix<float> X = clouds<float>(points, 3, 5.0, 1);
  const auto landmarks = [&](double gamma, double passes, int64_t asked = 0) {
    const KernelAffinity<float> A(Points(X.view()), {KernelKind::rbf, gamma}, RowSpace(points, 2));
    const Normalized<float> L(A, sample_degrees(A, 200, 1, {}).degrees, 0);
    SolverOptions options = options_for(passes);
    options.landmarks = asked;
    return worthwhile_landmarks(L, plan_ritz(points, options, 200).sampled, options);
  };
  EXPECT_EQ(landmarks(0.1, 0.01), 200) << "all columns";
  EXPECT_EQ(landmarks(0.1, 0.5), 2000);
  // n m^2 <= n^2 (cost + k' + 10) / 2: the pass is worth a few hundred, and a wide kernel needs no more.
  const int64_t wide = landmarks(0.1, 1);
  EXPECT_GT(wide, 300);
  EXPECT_LT(wide, 700);
  EXPECT_EQ(landmarks(0.1, 3), wide);
  EXPECT_EQ(landmarks(300, 1), 2000) << "eigenvalues crowd";
  EXPECT_EQ(landmarks(0.1, 1, 50), 50) << "as asked for";

  // Nobody looks at the clock before the landmarks are there.
  const KernelAffinity<float> A(Points(X.view()), {KernelKind::rbf, 0.1}, RowSpace(points, 2));
  const Normalized<float> L(A, sample_degrees(A, 200, 1, {}).degrees, 0);
  SolverOptions options = options_for(0.5);
  options.seconds = 0.1;
  const int64_t few = worthwhile_landmarks(L, points / 2, options);
  EXPECT_GE(few, 1);
  EXPECT_LT(2.0 * double(points) * double(few * few), 0.25e10 * 0.1);
}

TEST(RitzPlan, SmallDataHasOneBatchFromOnePassOnWhereTheStartIsGood) {
  const int64_t points = 4000;
  const Matrix<float> X = clouds<float>(points, 3, 5.0, 1);
  const auto problem = [&](double gamma, bool sampled) {
    const auto A = std::make_shared<KernelAffinity<float>>(Points(X.view()), Kernel{KernelKind::rbf, gamma},
                                                           RowSpace(points, 2));
    return std::pair(A, Normalized<float>(*A, sampled ? sample_degrees(*A, 200, 1, {}).degrees : A->degrees({}), 0));
  };
  const auto batches = [&](const Normalized<float>& L, const SolverOptions& options) {
    const int64_t landmarks = worthwhile_landmarks(L, plan_ritz(points, options, 200).sampled, options);
    const int64_t count = worthwhile_batches(L, landmarks, options);
    EXPECT_EQ(wants_neighbors(L, options), count > 1);
    if (count == 1) {
      EXPECT_GE(double(landmarks), 5 * wanted_landmarks(L));
    }
    return count;
  };
  const auto [wide, L] = problem(1e-5, false);
  EXPECT_EQ(batches(L, options_for(1)), 1);
  EXPECT_EQ(batches(L, options_for(3)), 1);
  EXPECT_EQ(batches(L, options_for(0.5)), 4) << "columns are scarce";
  SolverOptions constant = options_for(1);
  constant.batch_size = 100;
  EXPECT_EQ(batches(L, constant), 4);
  SolverOptions random = options_for(1);
  random.start = Start::random;
  EXPECT_EQ(worthwhile_batches(L, 0, random), 8);
  SolverOptions neighbors = options_for(1);
  neighbors.start = Start::neighbors;
  EXPECT_TRUE(wants_neighbors(L, neighbors));
  const auto [narrow, crowded] = problem(10, false);
  EXPECT_EQ(batches(crowded, options_for(1)), 4) << "the start is not good";
  const auto [same, rough] = problem(1e-5, true);
  EXPECT_EQ(batches(rough, options_for(1)), 4) << "degrees are not exact";
}

TEST(NystromModel, TakesOutTheDiagonalOfARegularizedKernel) {
  const DenseProblem<double> p(clouds<double>(n, 3, 5.0, 1), 0.5, 0.1);
  std::vector<int64_t> all(n);
  std::iota(all.begin(), all.end(), int64_t{0});
  const NystromModel<double> model(p.L, all, n, {});
  const Matrix<double> W = random_basis(p.L, 4, options_for(1));
  Matrix<double> image(n, 4);
  model.multiply(W, image);
  const MatrixXd exact = p.dense * to_eigen(W);
  EXPECT_LT((to_eigen(image) - exact).norm(), 1e-3 * exact.norm());
}

TEST(NystromModel, SaysNothingOfPointsOfTinyDegree) {
  Matrix<double> X = clouds<double>(n, 2, 3.0, 1);
  X(0, 0) = 60, X(1, 0) = 65;  // a(x_0, x_1) = exp(-12.5)
  X(0, 1) = X(1, 1) = 60;
  const KernelAffinity<double> affinity(Points(X.view()), {KernelKind::rbf, 0.5}, RowSpace(n, 2));
  const Normalized<double> L(affinity, affinity.degrees({}), 0);
  const NystromModel<double> model(L, important_columns(L, 60, true, 1), 20, {});
  const Matrix<double> W = random_basis(L, 4, options_for(1));
  Matrix<double> image(n, 4);
  model.multiply_sampled(W, image);
  for (int64_t c = 0; c < 4; ++c) {
    EXPECT_EQ(image(0, c), 0);
    EXPECT_EQ(image(1, c), 0);
    EXPECT_NE(image(2, c), 0);
  }
}

TEST(NystromModel, IsLWithAllPointsAsLandmarksAndItsVectorsAreThoseOfL) {
  std::vector<int64_t> all(n);
  std::iota(all.begin(), all.end(), int64_t{0});
  NystromModel<double> model(problem().L, all, n, {});
  const Matrix<double> W = model.leading(6, options_for(1));
  const double error = problem().error(to_eigen(W).leftCols(k), k);
  fmt::print("model of all points: error {:.1e}\n", error);
  EXPECT_LT(error, 1e-3);
}

TEST(Importance, OutlierPairsAreAlwaysAmongTheLandmarks) {
  // Two points far from all others, near each other: together they are an eigenvector of eigenvalue one.
  Matrix<double> X = clouds<double>(n, 2, 3.0, 1);
  X(0, 0) = 60, X(1, 0) = 61.2;
  X(0, 1) = X(1, 1) = 60;
  const KernelAffinity<double> affinity(Points(X.view()), {KernelKind::rbf, 0.5}, RowSpace(n, 2));
  const Normalized<double> L(affinity, affinity.degrees({}), 0);
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const auto chosen = important_columns(L, 30, true, seed);
    EXPECT_EQ(chosen[0], 0) << seed;
    EXPECT_EQ(chosen[1], 1) << seed;
    EXPECT_EQ(chosen.size(), 30u);
  }
}

TEST(RitzStep, IsAPowerStepWithoutNoiseAndNoneWhereAllIsNoise) {
  // One column too many, exactly known: W of six random columns and its image.
  const DenseProblem<double>& p = problem();
  const MatrixXd W = to_eigen(random_basis(p.L, 6, options_for(1)));
  const MatrixXd G = p.dense * W, T = W.transpose() * G, H = G - W * T, zero = MatrixXd::Zero(6, 6);
  const MatrixXd signal = H.transpose() * H;
  const RitzStep known = ritz_step(T, signal, zero, 0, k);
  EXPECT_TRUE(known.is_heard);
  const Eigen::HouseholderQR<MatrixXd> qr(W * known.turn + H * known.add);
  const MatrixXd next = qr.householderQ() * MatrixXd::Identity(n, 6);
  EXPECT_LT(p.error(next, k), 0.7 * p.error(W, k));
  const double before = (W.transpose() * p.dense * W).trace(), after = (next.transpose() * p.dense * next).trace();
  EXPECT_GT(after, 1.5 * before);

  const RitzStep noise = ritz_step(T, signal, signal, 0, k);
  EXPECT_FALSE(noise.is_heard);
  EXPECT_EQ(noise.add.norm(), 0);
  EXPECT_LT((noise.turn.transpose() * noise.turn - MatrixXd::Identity(6, 6)).norm(), 1e-12) << "a rotation";
  EXPECT_LT((noise.turn.transpose() * T * noise.turn - MatrixXd(noise.values.asDiagonal())).norm(), 1e-9) <<
      "to the Ritz vectors";
}

TEST(RitzStep, ShrinkageIsBetweenNothingAndAll) {
  EXPECT_EQ(shrinkage(1, 0), 1);
  EXPECT_EQ(shrinkage(1, 1), 0);
  EXPECT_EQ(shrinkage(0, 0), 0);
  EXPECT_DOUBLE_EQ(shrinkage(3, 1), 0.5);
}

}  // namespace
}  // namespace mbsc
