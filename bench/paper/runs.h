// SPDX-License-Identifier: Apache-2.0
// One method on one problem with several seeds, looked at on its way: NMI, error and cost at check points.
//
//     {"name": "minibatch-100", "method": "minibatch", "seeds": [0, 1], "checks": [0.1, 0.5, 1],
//      "embeddings": ["none"], "options": {"batch_size": 100, "start": "random"}}
//
//     method       minibatch   the paper's (preset paper); looked at when `checks` passes are spent
//                  nystrom     `options.landmarks`; `options.degrees` = "nystrom" for its own approximate degrees
//                  power       k random columns; looked at after every product
//                  ours        minibatch as it comes, once for each check
//                  exact       block Krylov to a residual of 1e-4; its vectors are what errors are measured against
//     embeddings   none, row, degree: what k-means sees
//     operations   additions and multiplications by the formulas of the paper (docs/methods.md), those of `ours` and
//                  `exact` by our own count in the same manner
#pragma once

#include <nlohmann/json.hpp>

#include "bench/paper/problem.h"
#include "mbsc/affinity/normalized.h"

namespace mbsc::bench {

/// What the runs on one problem share.
struct Setting {
  const Problem& problem;
  const Affinity<float>& affinity;
  const Normalized<float>& L;
  const Matrix<float>& exact;  ///< vectors; empty = not known
};

/// The results of all seeds, as JSON.
nlohmann::ordered_json perform(const Setting& setting, const nlohmann::ordered_json& run);

/// The exact vectors, from values of the kernel kept in memory where 4 GiB hold them all.
Matrix<float> solve_exactly(const Problem& problem, int threads, nlohmann::ordered_json& facts);

}  // namespace mbsc::bench
