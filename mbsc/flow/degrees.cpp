// SPDX-License-Identifier: Apache-2.0
#include "mbsc/flow/degrees.h"

#include <cmath>

#include "mbsc/affinity/degrees/sampled_degrees.h"
#include "mbsc/solvers/nystrom/nystrom_basis.h"
#include "mbsc/solvers/registry.h"

namespace mbsc {

Degrees find_degrees(const Affinity<float>& affinity, const Plan& plan, Run& run, DegreeReport& report) {
  const ClusterOptions& options = plan.options;
  const auto progress = [&](double share) { run.report({"degrees", share, 0, 0, 0, std::nan("")}); };
  progress(0);
  Degrees degrees;
  if (options.degrees == DegreeKind::nystrom) {
    degrees.sum = nystrom_degrees(affinity, *options.landmarks, options.seed, run.stop());
  } else if (options.degrees == DegreeKind::sampled) {
    SampledDegrees sampled = sample_degrees(affinity, *options.degree_columns, options.seed, run.stop(), progress);
    report.columns = sampled.columns_evaluated;
    degrees = std::move(sampled.degrees);
  } else {
    const SolverRow& solver = find_solver(*options.method, options.step_rule);
    const int64_t neighbors = solver.neighbors != nullptr ? solver.neighbors(affinity, options) : 0;
    degrees = affinity.degrees(run.stop(), progress, neighbors);
  }
  run.stop_together();
  return degrees;
}

void report_errors(const Normalized<float>& L, const Plan& plan, DegreeReport& report) {
  if (plan.options.degrees != DegreeKind::sampled) return;
  const DegreeError error = degree_error(L.rows(), L.all_degrees());
  report.relative_error = error.relative;
  report.largest_error = error.largest;
}

}  // namespace mbsc
