// SPDX-License-Identifier: Apache-2.0
// The interface shared by all solvers: one signature, one result.
//
//     Solution<T> solve_<method>(const Normalized<T>& L, const ClusterOptions&, const Observer<T>&)
//
// computes the k leading eigenpairs of L. Solvers do not depend on points, kernels, SIMD or ranks.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>

#include "mbsc/affinity/normalized.h"
#include "mbsc/result.h"

namespace mbsc {

/// What an observer gets, at least once per iteration.
template <class T>
struct Progress {
  int64_t iteration = 0;
  double passes = 0;     ///< passes spent so far
  double fraction = 0;   ///< spent share of the budget; NaN if the end is not known
  double objective = 0;  ///< trace(W'LW) of the first k columns, as estimated by this iteration
  double residual = std::numeric_limits<double>::quiet_NaN();  ///< the largest residual, if known
  MatrixView<const T> basis;                                   ///< W, own rows; may have more than k columns
};

/// Returns false to end the solver, which then returns its current result.
template <class T>
using Observer = std::function<bool(const Progress<T>&)>;

/// The eigenpairs. If the degrees of L are sampled, a solver may also return more accurate degrees. The pairs are then
/// those of L with these degrees.
template <class T>
struct Solution : EigenPairs<T> {
  std::optional<Degrees> degrees;
};

}  // namespace mbsc
