// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mbsc/solvers/solver.h"

namespace mbsc {

/// See transfer.cpp for the method. L must have a factor (affinity = landmarks).
Solution<float> solve_transfer(const Normalized<float>& L, const ClusterOptions& options,
                               const Observer<float>& observer = {});

}  // namespace mbsc
