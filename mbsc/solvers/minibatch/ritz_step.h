// SPDX-License-Identifier: Apache-2.0
// One step of the block along the estimates T ~ W'LW and H ~ (I - WW')LW of the batches, as far as they exceed their
// noise. This file computes only the small matrices of the step.
//     N = W U + H U diag(a / theta),  T = U theta U' the Ritz pairs,  a_i = shrinkage(|H u_i|^2, |noise_i|^2)
//     W <- N V,  V'N'(W T W' + HW' + WH')N V diagonal
// noise_i is the noise of H u_i. In the terms N'HW'N and N'WH'N, the noise is subtracted from H'H. The columns are
// ordered by estimates of their new Rayleigh quotients. These estimates omit H'LH, which is not known yet.
// There is a step only if the sum of |H u_i|^2 / theta_i^2 over the k leading columns is more than 1.5 times the same
// sum of the noise. (A single column may exceed its noise by chance.) Otherwise a = 0, and W is only rotated to the
// Ritz vectors. In a / theta, theta is at least 0.3 theta_k, so that small values do not amplify noise.
#pragma once

#include <Eigen/Core>
#include <cstdint>

namespace mbsc {

/// The share of a square that is not noise (James, Stein), with a safety factor: max(0, 1 - 1.5 noise / signal).
double shrinkage(double signal, double noise);

struct RitzStep {
  Eigen::VectorXd values;     ///< descending: estimates of the Rayleigh quotients of the new columns
  Eigen::MatrixXd turn, add;  ///< W <- W turn + H add, to be orthonormalized in order
  /// An estimate of the rms sine of the angles between the block after the step and the leading eigenvectors.
  double error = 0;
  bool is_heard = false;  ///< the signal is more than 1.5 times the noise; otherwise W is only rotated
};

/// T ~ W'LW; signal = H'H; u' noise u is the squared noise of H u; noise_of_T = |noise of T|_F^2.
RitzStep ritz_step(const Eigen::MatrixXd& T, const Eigen::MatrixXd& signal, const Eigen::MatrixXd& noise,
                   double noise_of_T, int64_t k);

}  // namespace mbsc
