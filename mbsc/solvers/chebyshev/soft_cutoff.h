// SPDX-License-Identifier: Apache-2.0
// The soft cutoff: which eigenvectors are used for the labels, and with which weights.
//
// Spectral clustering takes the k leading eigenvectors and drops all others. If the eigenvalues theta_k and theta_k+1 are
// close, which of the two vectors is taken is a matter of chance, and the labels depend on it. A soft cutoff takes more
// vectors and multiplies vector j by
//     w_j = 1 / (1 + ((1 - theta_j) / (1 - theta_k))^4)
// so w_j is near 1 for leading vectors, 1/2 for the k-th, and falls fast beyond it. The first vector tells nothing about
// clusters. It has the weight of the second, so that it does not outweigh the others. If there is a wide gap after theta_k,
// the vectors beyond it hardly count. The weights form a low-pass filter of the graph (Butterworth's, of order 2).
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

namespace mbsc {

/// The weights of the leading vectors. `values` are their eigenvalues, in descending order, at least k of them. Vectors
/// beyond the k-th are left out as soon as their weight is below 1/20, a tenth of the weight of the k-th vector. A vector that is concentrated
/// on a few outliers would otherwise decide their labels in spite of its small weight.
inline std::vector<double> soft_weights(std::span<const double> values, size_t k) {
  const auto distance = [&](size_t j) { return std::max(1e-7, 1 - values[j]); };  // 1e-7: the error of a value
  std::vector<double> weights;
  for (size_t j = 0; j < values.size(); ++j) {
    const double weight = 1 / (1 + std::pow(distance(j) / distance(k - 1), 4));
    if (j >= k && weight < 0.05) break;
    weights.push_back(weight);
  }
  if (weights.size() > 1) weights[0] = weights[1];
  return weights;
}

}  // namespace mbsc
