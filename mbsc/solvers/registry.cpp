// SPDX-License-Identifier: Apache-2.0
#include "mbsc/solvers/registry.h"

#include <algorithm>

#include "mbsc/base/require.h"

namespace mbsc {

// One line per solver: the function that returns its row.
#define MBSC_SOLVERS(ROW) \
  ROW(minibatch_solver)   \
  ROW(paper_solver)       \
  ROW(exact_solver)       \
  ROW(nystrom_solver)     \
  ROW(power_solver)       \
  ROW(chebyshev_solver)   \
  ROW(transfer_solver)

#define MBSC_DECLARE(name) const SolverRow& name();
MBSC_SOLVERS(MBSC_DECLARE)

std::span<const SolverRow* const> solvers() {
#define MBSC_ADDRESS(name) &name(),
  static const SolverRow* const all[] = {MBSC_SOLVERS(MBSC_ADDRESS)};
  return all;
}

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const SolverRow* solver : solvers())
    if (std::find(names.begin(), names.end(), solver->method) == names.end()) names.push_back(solver->method);
  return names;
}

const SolverRow& find_solver(const std::string& method, StepRule step_rule) {
  for (const SolverRow* solver : solvers())
    if (solver->method == method && solver->step_rule.value_or(step_rule) == step_rule) return *solver;
  throw InvalidInput(fmt::format("there is no method '{}'", method));
}

template <>
Solution<float> solve(const Normalized<float>& L, const ClusterOptions& options, const Observer<float>& observer) {
  return find_solver(options.method.value_or("minibatch"), options.step_rule).solve(L, options, observer);
}
#ifdef MBSC_BUILD_FLOAT64
template <>
Solution<double> solve(const Normalized<double>& L, const ClusterOptions& options, const Observer<double>& observer) {
  return find_solver(options.method.value_or("minibatch"), options.step_rule).solve_double(L, options, observer);
}
#endif

}  // namespace mbsc
