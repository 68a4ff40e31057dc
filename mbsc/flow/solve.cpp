// SPDX-License-Identifier: Apache-2.0
#include "mbsc/flow/solve.h"

#include "mbsc/solvers/registry.h"

namespace mbsc {
namespace {

/// The passes that are left for the solver. The columns of sampled degrees count in the budget.
std::optional<double> passes_left(int64_t degree_columns, const Plan& plan) {
  std::optional<double> passes = plan.options.limits.passes;
  if (passes) *passes -= double(degree_columns) / double(plan.n);
  return passes;
}

/// Writes the values that depend on the data to the options.
void write_back(const EigenPairs<float>& pairs, ClusterOptions& options) {
  if (pairs.landmarks > 0) options.landmarks = pairs.landmarks;
  if (!options.start && options.method == "minibatch")
    options.start = pairs.start_is_graph ? Start::neighbors : Start::nystrom;
}

}  // namespace

Solution<float> solve_plan(const Normalized<float>& L, int64_t degree_columns, Run& run, Plan& plan) {
  const double before = double(degree_columns) / double(plan.n);
  ClusterOptions options = plan.options;
  options.limits.passes = passes_left(degree_columns, plan);
  options.stop = run.stop();
  Solution<float> pairs = solve<float>(L, options, [&](const Progress<float>& p) {
    return run.report_together({"solve", p.fraction, p.iteration, before + p.passes, p.objective, p.residual});
  });
  if (pairs.iterations == 0 && pairs.status == Status::stopped) throw Stopped();
  for (TraceEntry& entry : pairs.trace) entry.passes += before;
  write_back(pairs, plan.options);
  return pairs;
}

bool has_product_left(const EigenPairs<float>& pairs, int64_t degree_columns, const Plan& plan) {
  const Limits& limits = plan.options.limits;
  if (pairs.full_products == 0 || limits.seconds || limits.iterations) return false;
  const std::optional<double> passes = passes_left(degree_columns, plan);
  return !passes || double(pairs.columns_evaluated) / double(plan.n) + 1 <= *passes;
}

}  // namespace mbsc
