// SPDX-License-Identifier: Apache-2.0
// The solvers, as a static table. A solver is a folder that supplies one SolverRow: its functions and its own options.
// To add a solver, add its folder and its line in registry.cpp.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mbsc/options/row.h"
#include "mbsc/solvers/solver.h"

namespace mbsc {

/// The peak memory of a solver, besides the points and the degrees.
struct SolverMemory {
  int64_t columns = 0;      ///< vectors of n floats
  int64_t block = 0;        ///< columns of the widest product
  int64_t small_bytes = 0;  ///< matrices whose size does not depend on n
  int64_t row_bytes = 0;    ///< anything else, per row
};

struct SolverRow {
  std::string name;                        ///< used in messages and in the option table
  std::string method;                      ///< the value of the option `method`
  std::optional<StepRule> step_rule = {};  ///< set if several solvers share a method
  std::vector<OptionRow> options = {};     ///< options that no other solver has

  /// Sets the automatic values that depend only on n, and checks what depends on n or on several options. A second call
  /// changes nothing.
  void (*resolve)(int64_t n, ClusterOptions& options) = nullptr;
  SolverMemory (*memory)(int64_t n, int64_t input_bytes, const ClusterOptions& options) = nullptr;
  /// The number of largest entries of each row that the degree pass should collect; null: none.
  int64_t (*neighbors)(const Affinity<float>& affinity, const ClusterOptions& options) = nullptr;

  Solution<float> (*solve)(const Normalized<float>&, const ClusterOptions&, const Observer<float>&) = nullptr;
  Solution<double> (*solve_double)(const Normalized<double>&, const ClusterOptions&, const Observer<double>&) = nullptr;
};

/// All solvers.
std::span<const SolverRow* const> solvers();
/// The names of all methods, each once.
std::vector<std::string> method_names();
/// The solver that the method and the step rule select. Throws InvalidInput if there is no such method.
const SolverRow& find_solver(const std::string& method, StepRule step_rule);

/// Calls the solver that options.method selects.
template <class T>
Solution<T> solve(const Normalized<T>& L, const ClusterOptions& options, const Observer<T>& observer = {});

}  // namespace mbsc
