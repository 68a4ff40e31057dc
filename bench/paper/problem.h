// SPDX-License-Identifier: Apache-2.0
// The points of an experiment of the paper: one of its data sets, a part of one, or one that is scaled differently. A
// request describes them in JSON. By default everything is as in the paper:
//
//     {"name": "covtype-I",         a data set of bench/convergence/data_set.h, or blobs, which are generated
//      "points": 5000,              this many points, drawn without replacement with a fixed seed; 0 = all
//      "scaling": "paper",          or another one, see below
//      "kernel": "rbf",             or exponential, exp(-gamma |x - y|), which is what the paper prints
//      "gamma": 0.7}                0 = as in the paper
//
//     scaling      none, unit, symmetric, standard   every feature, by the ranges of the points drawn
//                  standard-ten                      the first ten to mean 0 and deviation 1, the others unchanged
//                  unit-ten, standard-only-ten       uses only the first ten features, and scales them
//                  unit-rows, standard-ten-rows, raw-rows     the same (raw: none), and then every row to length 1
#pragma once

#include <nlohmann/json.hpp>

#include "bench/convergence/data_set.h"
#include "mbsc/affinity/kernel/kernel_affinity.h"

namespace mbsc::bench {

struct Problem {
  DataSet set;
  Kernel kernel;
  bool as_in_paper = true;  ///< all points, with the paper's scaling and kernel: degrees and exact vectors are stored
};

Problem load_problem(const nlohmann::ordered_json& request, const std::string& folder, int threads);

}  // namespace mbsc::bench
