// SPDX-License-Identifier: Apache-2.0
// The variance of the stochastic gradient: measured by repeated draws, computed by formula, and the bound of the paper.
// A request describes the measurement in JSON:
//
//     {"batch_size": 100, "nonzeros": [1, 2, 5], "draws": 200, "checks": [0, 0.1, 1], "seed": 0}
//
// The variance is measured at some W along a run of the paper's algorithm from a random start (`checks`, in passes),
// and at the exact eigenvectors. It is summed over the n components and averaged over the k columns w of W. m is the
// batch size. The estimator `signed` uses N_r sparse vectors of random signs, each with l non-zeros among its n
// components. L o L and w^2 are elementwise. With g = Lw:
//
//     first = |g|^2    second = sum_i ((L o L) w^2)_i    third = |L|_F^2
//     signed, l of n, N_r = m/l:   [(2c - 1) first + (n/l - 3c) second + c third] / N_r,   c = n(l-1) / (l(n-1))
//     the paper's formula:         [first + (n/l - 3) second + third] / N_r
//     the paper's bound:           [first + (n/l) third] / N_r
//     columns, m of n:             n/m (1 - m/n) n/(n-1) (second - first/n)
#pragma once

#include <nlohmann/json.hpp>

#include "bench/paper/runs.h"

namespace mbsc::bench {

/// Returns a list with entries for the checkpoints and a last entry for the exact eigenvectors. If an iteration passes
/// several checkpoints, they share one entry.
nlohmann::ordered_json measure_variance(const Setting& setting, const nlohmann::ordered_json& request);

}  // namespace mbsc::bench
