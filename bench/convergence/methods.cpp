// SPDX-License-Identifier: Apache-2.0
#include "bench/convergence/methods.h"

#include <algorithm>
#include <cmath>

#include "mbsc/base/require.h"
#include "mbsc/base/stopwatch.h"
#include "mbsc/cluster.h"
#include "mbsc/solvers/nystrom_basis.h"
#include "mbsc/solvers/rayleigh_ritz.h"

namespace mbsc::bench {
namespace {

using Take = std::function<void(const Outcome&)>;

/// Hands on the basis a solver shows, as the last one within each budget. The time that takes is not the solver's.
class Trace {
 public:
  Trace(int64_t n, int64_t clusters, const std::vector<double>& budgets, const Take& take)
      : n_(n), clusters_(clusters), budgets_(budgets), take_(take) {}

  /// `step`: columns of the next iteration. False when there is no budget left.
  bool observe(const Progress<float>& progress, int64_t step, int64_t landmarks) {
    const double seconds = clock_.seconds() - paused_;
    const auto columns = int64_t(std::llround(progress.passes * double(n_)));
    for (; next_ < budgets_.size(); ++next_) {
      const double limit = budgets_[next_] * double(n_) + 1;
      if (double(columns + step) <= limit) break;  // there is room for another iteration
      if (double(columns) > limit) continue;       // the first iteration is more than the budget
      take_(
          {budgets_[next_], columns, seconds, landmarks, progress.basis.columns_between(0, clusters_), progress.basis});
    }
    paused_ = clock_.seconds() - seconds;
    return next_ < budgets_.size();
  }

 private:
  int64_t n_, clusters_;
  const std::vector<double>& budgets_;
  const Take& take_;
  size_t next_ = 0;
  Stopwatch clock_;
  double paused_ = 0;
};

void run_nystrom(const Normalized<float>& L, SolverOptions options, const std::vector<double>& budgets, int64_t most,
                 const Take& take) {
  options.block_size = 3 * options.clusters;
  options.keep_block = true;
  EigenPairs<float> pairs;
  for (const double budget : budgets) {
    const int64_t landmarks = std::min(most, affordable_landmarks<float>(L.n(), int64_t(budget * double(L.n()))));
    if (landmarks < options.clusters) continue;
    if (landmarks != options.landmarks) {
      options.landmarks = landmarks;
      pairs = solve_nystrom<float>(L, options);
    }
    take({budget, pairs.columns_evaluated, pairs.seconds, pairs.landmarks, pairs.vectors, pairs.block});
  }
}

void run_paper(const Normalized<float>& L, const SolverOptions& base, const std::vector<double>& budgets,
               const Take& take) {
  ClusterOptions preset;
  apply_paper_preset(preset);
  SolverOptions options = preset.solver;
  options.clusters = base.clusters;
  options.seed = base.seed;
  options.passes = 2 * budgets.back() + 1;  // the trace ends it
  Trace trace(L.n(), options.clusters, budgets, take);
  solve_minibatch<float>(L, options, [&](const Progress<float>& progress) {
    return trace.observe(progress, options.batch_size, options.landmarks);
  });
}

/// power and exact: one product an iteration.
void run_products(Method method, const Normalized<float>& L, SolverOptions options, const std::vector<double>& budgets,
                  const Take& take) {
  options.block_size = 3 * options.clusters;
  options.keep_block = true;
  options.passes = 2 * budgets.back() + 3;  // the trace ends it, before a certificate is due
  Trace trace(L.n(), options.clusters, budgets, take);
  solve<float>(method, L, options, [&](const Progress<float>& progress) {
    return trace.observe(progress, L.n(), options.start == Start::nystrom ? options.landmarks : 0);
  });
}

void run_ours(const Normalized<float>& L, SolverOptions options, const std::vector<double>& budgets, const Take& take) {
  options.keep_block = true;
  for (const double budget : budgets) {
    options.passes = budget;
    const EigenPairs<float> pairs = solve_minibatch<float>(L, options);
    take({budget, pairs.columns_evaluated, pairs.seconds, pairs.landmarks, pairs.vectors, pairs.block});
  }
}

/// The budget is what it may take.
void run_tolerance(const Normalized<float>& L, SolverOptions options, const Take& take) {
  options.keep_block = true;
  options.tolerance = 1e-4;
  const EigenPairs<float> pairs = solve_minibatch<float>(L, options);
  take({6, pairs.columns_evaluated, pairs.seconds, pairs.landmarks, pairs.vectors, pairs.block,
        largest_residual(pairs)});
}

}  // namespace

const std::vector<std::string>& method_names() {
  static const std::vector<std::string> names = {
      "paper", "nystrom", "power", "krylov-random", "krylov-nystrom", "ours", "tolerance"};
  return names;
}

void run_method(const std::string& name, const Normalized<float>& L, int64_t clusters, uint64_t seed,
                const std::vector<double>& budgets, int64_t most_landmarks, const Take& take) {
  SolverOptions options;
  options.clusters = clusters;
  options.seed = seed;
  if (name == "paper") return run_paper(L, options, budgets, take);
  if (name == "nystrom") return run_nystrom(L, options, budgets, most_landmarks, take);
  if (name == "power") return run_products(Method::power, L, options, budgets, take);
  if (name == "ours") return run_ours(L, options, budgets, take);
  if (name == "tolerance") return run_tolerance(L, options, take);
  if (name == "krylov-nystrom") {
    options.start = Start::nystrom;
    options.landmarks = std::min<int64_t>(500, L.n());
  }
  require(name.starts_with("krylov-"), "there is no method {}", name);
  run_products(Method::exact, L, options, budgets, take);
}

}  // namespace mbsc::bench
