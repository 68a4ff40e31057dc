// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mbsc/solvers/solver.h"

namespace mbsc {

/// See chebyshev.cpp for the method.
template <class T>
Solution<T> solve_chebyshev(const Normalized<T>& L, const ClusterOptions& options, const Observer<T>& observer = {});

}  // namespace mbsc
