// SPDX-License-Identifier: Apache-2.0
#include "bench/convergence/methods.h"

#include <algorithm>
#include <cmath>

#include "mbsc/base/require.h"
#include "mbsc/base/stopwatch.h"
#include "mbsc/cluster.h"
#include "mbsc/solvers/minibatch/minibatch.h"
#include "mbsc/solvers/nystrom/kept_columns.h"
#include "mbsc/solvers/nystrom/nystrom.h"
#include "mbsc/solvers/paper/paper.h"
#include "mbsc/solvers/rayleigh_ritz.h"
#include "mbsc/solvers/registry.h"

namespace mbsc::bench {
namespace {

using Take = std::function<void(const Outcome&)>;

/// Observes a solver. For each budget, passes the last basis that the solver reached within the budget to `take`. The
/// time of these calls does not count as time of the solver.
class Trace {
 public:
  Trace(int64_t n, int64_t clusters, const std::vector<double>& budgets, const Take& take)
      : n_(n), clusters_(clusters), budgets_(budgets), take_(take) {}

  /// `step`: the number of columns of the next iteration. Returns false if no budget is left.
  bool observe(const Progress<float>& progress, int64_t step, int64_t landmarks) {
    const double seconds = clock_.seconds() - paused_;
    const auto columns = int64_t(std::llround(progress.passes * double(n_)));
    for (; next_ < budgets_.size(); ++next_) {
      const double limit = budgets_[next_] * double(n_) + 1;
      if (double(columns + step) <= limit) break;  // the budget allows another iteration
      if (double(columns) > limit) continue;       // the first iteration exceeds the budget
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

void run_nystrom(const Normalized<float>& L, ClusterOptions options, const std::vector<double>& budgets, int64_t most,
                 const Take& take) {
  options.block_size = 3 * options.clusters;
  options.keep_block = true;
  EigenPairs<float> pairs;
  for (const double budget : budgets) {
    const auto columns = int64_t(budget * double(L.n()));
    const int64_t landmarks = std::min(most, affordable_landmarks<float>(L.n(), L.input_bytes(), columns));
    if (landmarks < options.clusters) continue;
    if (landmarks != options.landmarks) {
      options.landmarks = landmarks;
      pairs = solve_nystrom<float>(L, options);
    }
    take({budget, pairs.columns_evaluated, pairs.seconds, pairs.landmarks, pairs.vectors, pairs.block});
  }
}

void run_paper(const Normalized<float>& L, ClusterOptions options, const std::vector<double>& budgets,
               const Take& take) {
  apply_preset("paper", L.n(), options);
  options.limits.passes = 2 * budgets.back() + 1;  // the trace ends the run earlier
  Trace trace(L.n(), options.clusters, budgets, take);
  solve_paper<float>(L, options, [&](const Progress<float>& progress) {
    return trace.observe(progress, *options.batch_size, *options.landmarks);
  });
}

/// Runs power or exact, which make one product per iteration.
void run_products(const Normalized<float>& L, ClusterOptions options, const std::vector<double>& budgets,
                  const Take& take) {
  options.block_size = 3 * options.clusters;
  options.keep_block = true;
  options.limits.passes = 2 * budgets.back() + 3;  // the trace ends the run before a certificate is due
  Trace trace(L.n(), options.clusters, budgets, take);
  solve<float>(L, options, [&](const Progress<float>& progress) {
    return trace.observe(progress, L.n(), options.landmarks.value_or(0));
  });
}

void run_ours(const Normalized<float>& L, ClusterOptions options, const std::vector<double>& budgets,
              const Take& take) {
  options.keep_block = true;
  for (const double budget : budgets) {
    options.limits.passes = budget;
    const EigenPairs<float> pairs = solve_minibatch<float>(L, options);
    take({budget, pairs.columns_evaluated, pairs.seconds, pairs.landmarks, pairs.vectors, pairs.block});
  }
}

/// The passes of this run are not limited. Its result is listed as budget 6.
void run_tolerance(const Normalized<float>& L, ClusterOptions options, const Take& take) {
  options.keep_block = true;
  options.limits.tolerance = 1e-4;
  const EigenPairs<float> pairs = solve_minibatch<float>(L, options);
  take({6, pairs.columns_evaluated, pairs.seconds, pairs.landmarks, pairs.vectors, pairs.block,
        largest_residual(pairs)});
}

}  // namespace

const std::vector<std::string>& method_names() {
  static const std::vector<std::string> names = {"paper",          "nystrom", "power",    "krylov-random",
                                                 "krylov-nystrom", "ours",    "tolerance"};
  return names;
}

void run_method(const std::string& name, const Normalized<float>& L, int64_t clusters, uint64_t seed,
                const std::vector<double>& budgets, int64_t most_landmarks, const Take& take) {
  ClusterOptions options;
  options.clusters = clusters;
  options.seed = seed;
  if (name == "paper") return run_paper(L, options, budgets, take);
  if (name == "nystrom") return run_nystrom(L, options, budgets, most_landmarks, take);
  if (name == "ours") return run_ours(L, options, budgets, take);
  if (name == "tolerance") return run_tolerance(L, options, take);
  options.method = name == "power" ? "power" : "exact";
  if (name == "krylov-nystrom") {
    options.start = Start::nystrom;
    options.landmarks = std::min<int64_t>(500, L.n());
  }
  require(name == "power" || name.starts_with("krylov-"), "there is no method {}", name);
  run_products(L, options, budgets, take);
}

}  // namespace mbsc::bench
