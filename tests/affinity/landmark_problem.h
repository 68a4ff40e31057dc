// SPDX-License-Identifier: Apache-2.0
// A random landmark factor B (sparse), and two dense matrices to compare with: B, and B Dr^-1 B', where Dr is the
// diagonal matrix of the column sums of B.
#pragma once

#include <algorithm>
#include <set>

#include "mbsc/affinity/landmarks/landmark_affinity.h"
#include "tests/affinity/dense_oracle.h"

namespace mbsc::testing {

/// Joins every one of n points to K = `each` different landmarks, drawn from p landmarks. The weights
/// lie between 0.0025 and 1.
inline LandmarkFactor random_factor(int64_t n, int64_t p, int64_t each, uint64_t seed) {
  const Random random(seed, Stream::test);
  LandmarkFactor factor;
  factor.landmarks = random_matrix<float>(p, 2, seed);
  factor.width = 1;
  factor.each = each;
  factor.degrees.assign(size_t(p), 0);
  for (int64_t i = 0; i < n; ++i) {
    std::set<int32_t> taken;
    // Two communities of landmarks, so that the leading eigenvalues are not all alike.
    while (int64_t(taken.size()) < each) {
      const bool crosses = random.uniform(uint64_t(i), 1000 + taken.size()) < 0.2;
      const int64_t half = p / 2,
                    place = random.below(half, uint64_t(i), 17 * taken.size() + taken.size() * uint64_t(p));
      int32_t r = int32_t(place + ((i % 2 == 1) != crosses ? half : 0));
      while (taken.count(r) > 0) r = int32_t((r + 1) % p);
      taken.insert(r);
    }
    for (const int32_t r : taken) {
      const auto weight = float(std::exp(-6 * random.uniform(uint64_t(i), uint64_t(r) + 5000)));
      factor.columns.push_back(r);
      factor.weights.push_back(weight);
      factor.degrees[size_t(r)] += double(weight);
    }
  }
  return factor;
}

/// B, an n x p matrix.
inline Eigen::MatrixXd dense_factor(const LandmarkFactor& factor) {
  const int64_t n = int64_t(factor.columns.size()) / factor.each;
  Eigen::MatrixXd B = Eigen::MatrixXd::Zero(n, factor.size());
  for (size_t e = 0; e < factor.columns.size(); ++e)
    B(int64_t(e) / factor.each, factor.columns[e]) += double(factor.weights[e]);
  return B;
}

/// B Dr^-1 B'.
inline Eigen::MatrixXd dense_landmark_affinity(const Eigen::MatrixXd& B) {
  const Eigen::VectorXd inverse = B.colwise().sum().transpose().unaryExpr([](double d) { return d > 0 ? 1 / d : 0.0; });
  return B * inverse.asDiagonal() * B.transpose();
}

}  // namespace mbsc::testing
