// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mbsc/affinity/normalized.h"
#include "mbsc/flow/run.h"
#include "mbsc/result.h"

namespace mbsc {

/// Computes the degrees of the kind that the plan asks for. Exact degrees take one symmetric pass, which evaluates each
/// kernel value once and also collects the neighbors that the solver needs. Sampled degrees come from some columns; the
/// number of these columns is written to the report. Nystrom's degrees are approximations from the landmarks.
Degrees find_degrees(const Affinity<float>& affinity, const Plan& plan, Run& run, DegreeReport& report);

/// Writes the standard errors of sampled degrees to the report. Does nothing for the other kinds of degrees.
void report_errors(const Normalized<float>& L, const Plan& plan, DegreeReport& report);

}  // namespace mbsc
