// SPDX-License-Identifier: Apache-2.0
// The estimates of BatchMemory. batch_memory.h defines the symbols.
#include "mbsc/solvers/minibatch/batch_memory.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "mbsc/affinity/degrees/sampled_degrees.h"
#include "mbsc/base/random.h"
#include "mbsc/solvers/minibatch/importance.h"
#include "mbsc/solvers/rayleigh_ritz.h"
#include "tests/solvers/ritz_problem.h"

namespace mbsc {
namespace {

using Eigen::MatrixXd;
using testing::clouds;
using testing::DenseProblem;
using testing::n;
using testing::problem;
using testing::to_eigen;

constexpr uint64_t seed = 3;

/// The first `count` columns of a random permutation of all columns.
std::vector<int64_t> drawn(int64_t count, uint64_t key) {
  const KeyedPermutation permutation(n, Random(7, Stream::test), key);
  std::vector<int64_t> columns;
  for (int64_t i = 0; i < count; ++i) columns.push_back(permutation(i));
  return columns;
}

/// Adds these columns as one batch, in four parts.
void add_columns(BatchMemory<double>& memory, const Matrix<double>& W, const std::vector<int64_t>& columns,
                 const NystromModel<double>* model) {
  const auto count = int64_t(columns.size());
  for (int64_t part = 0; part < 4; ++part) {
    std::vector<int64_t> share(columns.begin() + count * part / 4, columns.begin() + count * (part + 1) / 4);
    std::sort(share.begin(), share.end());
    memory.add(share, W, model, {});
  }
}

/// The estimate W B + H of LW from the fixed columns and one batch of `count` others, in four parts. `noise` gets the
/// trace of the claimed noise.
MatrixXd estimate_once(const Matrix<double>& W, const std::vector<uint8_t>& fixed, const NystromModel<double>* model,
                       int64_t count, uint64_t key, double* noise = nullptr,
                       const SparsePart<double>* known = nullptr) {
  BatchMemory<double> memory(problem().L, W.cols(), fixed, nullptr, known);
  std::vector<int64_t> sure, columns;
  for (int64_t j = 0; j < n; ++j)
    if (fixed[size_t(j)]) sure.push_back(j);
  if (!sure.empty()) memory.add_fixed(sure, W, {});
  for (const int64_t j : drawn(n, key))
    if (!fixed[size_t(j)] && int64_t(columns.size()) < count) columns.push_back(j);
  add_columns(memory, W, columns, model);
  memory.end_batch(W, model);
  const auto e = memory.estimate(W, model);
  if (noise) *noise = e.noise.trace();
  return to_eigen(W) * e.projected + to_eigen(e.H);
}

TEST(BatchMemory, EstimateIsUnbiasedWithAndWithoutCertainColumnsAndModel) {
  const DenseProblem<double>& p = problem();
  const Matrix<double> W = random_basis(p.L, 4, seed);
  const MatrixXd exact = p.dense * to_eigen(W);
  const NystromModel<double> model(p.L, important_columns(p.L, 60, true, 1), 20, {});
  for (const bool sure : {false, true})
    for (const NystromModel<double>* with : {(const NystromModel<double>*)nullptr, &model}) {
      std::vector<uint8_t> fixed(n);
      for (int64_t j = 0; sure && j < n; j += 10) fixed[size_t(j)] = 1;
      constexpr int draws = 1500;
      MatrixXd mean = MatrixXd::Zero(n, 4), squares = mean;
      double noise = 0, spread = 0;
      for (int draw = 0; draw < draws; ++draw) {
        double claimed = 0;
        const MatrixXd G = estimate_once(W, fixed, with, 80, uint64_t(draw), &claimed);
        mean += G / draws;
        squares += (G - exact).cwiseAbs2() / draws;
        const MatrixXd error = G - exact, basis = to_eigen(W);
        spread += (error - basis * (basis.transpose() * error)).squaredNorm() / draws;
        noise += claimed / draws;
      }
      const MatrixXd z = (mean - exact).cwiseQuotient((squares / draws).cwiseSqrt());
      fmt::print("fixed {}, model {}: |z| rms {:.3f}, largest {:.2f}; noise claimed / seen {:.3f}\n", sure,
                 with != nullptr, std::sqrt(z.squaredNorm() / double(z.size())), z.cwiseAbs().maxCoeff(),
                 noise / spread);
      // 2,400 dependent entries. The weight of the control variate is fitted to the sample, which causes a small bias.
      EXPECT_LT(z.cwiseAbs().maxCoeff(), 5.5);
      EXPECT_NEAR(noise / spread, 1, 0.15);
    }
}

TEST(BatchMemory, IsExactWhenEveryColumnIsSeen) {
  const Matrix<double> W = random_basis(problem().L, 4, seed);
  const NystromModel<double> model(problem().L, important_columns(problem().L, 60, true, 1), 20, {});
  const MatrixXd exact = problem().dense * to_eigen(W);
  for (const NystromModel<double>* with : {(const NystromModel<double>*)nullptr, &model})
    EXPECT_LT((estimate_once(W, std::vector<uint8_t>(n), with, n, 1) - exact).norm(), 1e-10);
}

/// The `each` largest entries of each row, and a model that leaves them out.
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
  const Matrix<double> W = random_basis(problem().L, 4, seed);
  const MatrixXd exact = problem().dense * to_eigen(W), basis = to_eigen(W);
  std::vector<uint8_t> fixed(n);
  for (int64_t j = 0; j < n; j += 10) fixed[size_t(j)] = 1;
  constexpr int draws = 1500;
  for (const bool with_model : {false, true}) {
    MatrixXd mean = MatrixXd::Zero(n, 4), squares = mean;
    double noise = 0, spread = 0, plain_noise = 0;
    for (int draw = 0; draw < draws; ++draw) {
      double claimed = 0, plain = 0;
      const MatrixXd G =
          estimate_once(W, fixed, with_model ? &part.model : nullptr, 80, uint64_t(draw), &claimed, &part.known);
      estimate_once(W, fixed, with_model ? &whole_model : nullptr, 80, uint64_t(draw), &plain);
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
    const MatrixXd complete = estimate_once(W, fixed, with_model ? &part.model : nullptr, n, 1, nullptr, &part.known);
    EXPECT_LT((complete - exact).norm(), 1e-7 * exact.norm());
  }
  // If all entries are known, nothing is left to sample: a few columns are enough for an exact result.
  const KnownEntries all(n - 1);
  EXPECT_LT((estimate_once(W, fixed, &all.model, 20, 3, nullptr, &all.known) - exact).norm(), 1e-5 * exact.norm());
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

TEST(BatchMemory, ProjectionIsUnbiasedAndNoNoisierThanItSays) {
  const Matrix<double> W = random_basis(problem().L, 4, seed);
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
      // There are six cases with 16 entries: the largest of 96 normal |z| is above 4.5 once in 1,500 times. The claimed
      // noise is an upper bound (the symmetric part of W'G has about half of the noise of W'G), with an error of a few
      // percent. A bound far above the true noise would be useless.
      EXPECT_LT(z, 4.5);
      EXPECT_GT(claimed / squares.sum(), 0.9);
      EXPECT_LT(claimed / squares.sum(), 4);
    }
}

TEST(BatchMemory, ProjectionFollowsAChangeOfTheBlockToSecondOrder) {
  const Matrix<double> W = random_basis(problem().L, 4, seed);
  std::vector<double> errors;
  for (const double change : {1e-2, 1e-3}) {
    BatchMemory<double> memory(problem().L, 4, std::vector<uint8_t>(n));
    add_columns(memory, W, drawn(n, 0), nullptr);
    memory.end_batch(W, nullptr);
    Matrix<double> next = random_basis(problem().L, 4, 77);
    for (int64_t i = 0; i < next.size(); ++i) next.data()[i] = W.data()[i] + change * next.data()[i];
    orthonormalize_in_order<double>(problem().L.rows(), next, seed);
    memory.turn(gram<double>(problem().L.rows(), W, next));
    const MatrixXd basis = to_eigen(next);
    errors.push_back((memory.estimate(next, nullptr).projected - basis.transpose() * problem().dense * basis).norm());
  }
  fmt::print("errors {:.1e} {:.1e}\n", errors[0], errors[1]);
  EXPECT_LT(errors[1], errors[0] / 50);
}

TEST(BatchMemory, KeptColumnsCountLikeCertainOnes) {
  const Matrix<double> W = random_basis(problem().L, 4, seed);
  const std::vector<int64_t> landmarks = important_columns(problem().L, 60, true, 1);
  const auto kept = nystrom_basis(problem().L, landmarks, 10, {}).kept;
  std::vector<uint8_t> fixed(n);
  for (const int64_t j : landmarks) fixed[size_t(j)] = 1;
  BatchMemory<double> evaluated(problem().L, 4, fixed), remembered(problem().L, 4, fixed);
  evaluated.add_fixed(landmarks, W, {});
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
  std::vector<uint8_t> fixed(n);
  for (const int64_t j : landmarks) fixed[size_t(j)] = 1;
  KeptColumns<double> kept = nystrom_basis(rough, landmarks, 10, {}).kept;
  std::vector<int64_t> columns;
  for (const int64_t j : drawn(n, 1))
    if (!fixed[size_t(j)] && columns.size() < 200) columns.push_back(j);

  Matrix<double> W = random_basis(rough, 4, seed);
  BatchMemory<double> early(rough, 4, fixed), late(p.L, 4, fixed);
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
  std::vector<uint8_t> fixed(n);
  const std::vector<int64_t> sure = important_columns(rough, 60, true, 1);
  for (const int64_t j : sure) fixed[size_t(j)] = 1;
  std::vector<int64_t> others;
  for (const int64_t j : drawn(n, 1))
    if (!fixed[size_t(j)]) others.push_back(j);
  const Matrix<double> W = random_basis(rough, 4, seed);
  BatchMemory<double> memory(rough, 4, fixed, &tally);
  for (int twice = 0; twice < 2; ++twice) memory.add_fixed(sure, W, {});  // evaluated again for each step, counted once
  add_columns(memory, W, others, nullptr);
  const Degrees now = tally.degrees(memory.others());
  const Degrees exact = p.A.degrees({});
  for (size_t i = 0; i < size_t(n); ++i) EXPECT_NEAR(now.sum[i], exact.sum[i], 1e-10 * exact.sum[i]);
}

}  // namespace
}  // namespace mbsc
