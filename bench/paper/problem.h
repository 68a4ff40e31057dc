// SPDX-License-Identifier: Apache-2.0
// What an experiment of the paper clusters: one of its data sets, or a part of one, or a variation of how it is scaled.
// A request names it in JSON; what is not said is the paper's:
//
//     {"name": "covtype-I",         a data set of bench/convergence/data_set.h, covtype-II (all rows of Covtype), or
//                                   blobs: generated, where there are no data
//      "points": 5000,              that many, drawn without replacement with a fixed seed; 0 = all
//      "scaling": "paper",          or another, below
//      "kernel": "rbf",             or exponential, exp(-gamma |x - y|), which is how the paper prints it
//      "gamma": 0.7}                0 = the paper's
//
//     scaling      none, unit, symmetric, standard   every feature, by the points drawn
//                  standard-ten                      the first ten to mean 0 and deviation 1, the others as they are
//                  unit-ten, standard-only-ten       the first ten alone
//                  unit-rows, standard-ten-rows, raw-rows     and then every row to length 1
#pragma once

#include <nlohmann/json.hpp>

#include "bench/convergence/data_set.h"
#include "mbsc/affinity/kernel_affinity.h"

namespace mbsc::bench {

struct Problem {
  DataSet set;
  Kernel kernel;
  bool as_in_paper = true;  ///< all points, the paper's scaling and kernel: what it costs may be kept
};

Problem load_problem(const nlohmann::ordered_json& request, const std::string& folder, int threads);

}  // namespace mbsc::bench
