// SPDX-License-Identifier: Apache-2.0
#include "mbsc/solvers/minibatch/ritz_step.h"

#include <algorithm>
#include <cmath>

#include "mbsc/solvers/rayleigh_ritz.h"

namespace mbsc {

using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

constexpr double caution = 1.5;  ///< a signal must be more than this many times its noise

}  // namespace

double shrinkage(double signal, double noise) { return signal > 0 ? std::max(0.0, 1 - caution * noise / signal) : 0; }

RitzStep ritz_step(const MatrixXd& T, const MatrixXd& signal_of_block, const MatrixXd& noise_of_block,
                   double noise_of_T, int64_t k) {
  const int64_t columns = T.cols();
  const SmallEigen ritz = eigen_descending(T);
  const VectorXd& theta = ritz.values;
  const MatrixXd signal = ritz.vectors.transpose() * signal_of_block * ritz.vectors;
  const MatrixXd noise = ritz.vectors.transpose() * noise_of_block * ritz.vectors;
  // A few parts give only a rough estimate of the noise. So the noise of a column counts as at least the mean over all
  // columns.
  const double typical = noise.trace() / double(columns);
  const double floor = std::max({0.3 * theta[k - 1], 1e-3 * theta[0], 1e-12});
  VectorXd scale(columns), spread(columns), size(columns);
  double heard_all = 0, noise_all = 0;
  for (int64_t i = 0; i < columns; ++i) {
    spread[i] = std::max(noise(i, i), typical);
    size[i] = std::max(theta[i], floor);
    if (i >= k) continue;
    heard_all += signal(i, i) / (size[i] * size[i]);
    noise_all += spread[i] / (size[i] * size[i]);
  }
  RitzStep step;
  step.is_heard = heard_all > caution * noise_all;
  double error = 0;
  for (int64_t i = 0; i < columns; ++i) {
    // |L| <= 1, so |H u_i| > 1 cannot be correct.
    const double share = signal(i, i) > 1 || !step.is_heard ? 0 : shrinkage(signal(i, i), spread[i]);
    scale[i] = share / size[i];
    if (i >= k) continue;
    // Before the step, the error of column i is about |H u_i| / (theta_i - t), where t is the eigenvalue of the
    // directions outside the block. t is not known; its upper bound is used, the last Ritz value. A full step
    // multiplies this error by t / theta_i.
    const double last = std::clamp(theta[columns - 1], 0.0, 0.99 * size[i]);
    const double left = std::pow((1 - share + share * last / size[i]) / (size[i] - last), 2);
    error += share * share * spread[i] / (size[i] * size[i]) + left * std::max(0.0, signal(i, i) - spread[i]);
  }
  // Within the block, the noise of T mixes leading vectors and guards. The closer their values, the more it mixes them.
  const double entry = noise_of_T / double(columns * columns);
  for (int64_t i = 0; i < k; ++i)
    for (int64_t j = k; j < columns; ++j) {
      const double gap = theta[i] - theta[j];
      error += gap * gap > entry ? entry / (gap * gap) : 1;
    }
  step.error = std::min(1.0, std::sqrt(error / double(k)));

  const MatrixXd heard = (signal - noise) * scale.asDiagonal();
  MatrixXd A = heard + heard.transpose(), N = scale.asDiagonal() * signal * scale.asDiagonal();
  A.diagonal() += theta;
  N.diagonal().array() += 1;
  const SmallEigen ahead = eigen_descending(A, N);
  step.values = ahead.values;
  step.turn = ritz.vectors * ahead.vectors;
  step.add = ritz.vectors * scale.asDiagonal() * ahead.vectors;
  return step;
}

}  // namespace mbsc
