// SPDX-License-Identifier: Apache-2.0
// Runs one method on one problem with several seeds, and measures NMI, error and cost at checkpoints. JSON
// describes the run:
//
//     {"name": "minibatch-100", "method": "minibatch", "seeds": [0, 1], "checks": [0.1, 0.5, 1],
//      "embeddings": ["none"], "options": {"batch_size": 100, "start": "random"}}
//
//     method       minibatch   as in the paper (preset paper); measured when the passes in `checks` are spent
//                  nystrom     with `options.landmarks`; `options.degrees` = "nystrom": its own approximate degrees
//                  power       from k random columns; measured after every product
//                  ours        minibatch with its defaults, one run for each check
//                  exact       the vectors of solve_exactly(), with which all others are compared
//     embeddings   none, row, degree: the rows that k-means clusters
// Operations are additions and multiplications by the formulas of the paper (docs/methods.md); for `ours` and `exact`
// they are our own count in the same way.
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
  const Matrix<float>& exact;  ///< the exact vectors; empty = not known
};

/// The results of all seeds, as JSON.
nlohmann::ordered_json perform(const Setting& setting, const nlohmann::ordered_json& run);

/// Computes the exact vectors by block Krylov, to a residual of 1e-5. If products are expensive and 4 GiB hold all
/// kernel values, these are cached, and the residual is 1e-4. Writes cost, eigenvalues and largest residual to `facts`.
Matrix<float> solve_exactly(const Problem& problem, int threads, nlohmann::ordered_json& facts);

}  // namespace mbsc::bench
