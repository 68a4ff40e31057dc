// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mbsc/affinity/normalized.h"
#include "mbsc/flow/run.h"
#include "mbsc/result.h"

namespace mbsc {

/// The degrees that the plan asks for: from one symmetric pass, which also collects the neighbors that the solver needs;
/// from sampled columns; or Nystrom's. Each kernel value is evaluated once.
Degrees find_degrees(const Affinity<float>& affinity, const Plan& plan, Run& run, DegreeReport& report);

/// The standard errors of sampled degrees; nothing if they were exact from the start.
void report_errors(const Normalized<float>& L, const Plan& plan, DegreeReport& report);

}  // namespace mbsc
