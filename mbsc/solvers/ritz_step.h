// SPDX-License-Identifier: Apache-2.0
// One step of the block on what the batches say, as far as that is not noise. Small matrices only.
//     N = W U + H U diag(a / theta),  T = U theta U' the Ritz pairs,  a_i = shrinkage(|H u_i|^2, |noise_i|^2)
//     W <- N V,  V'N'(W T W' + HW' + WH')N V diagonal
// so that the columns come in the order of the Rayleigh quotients they will have, but for H'LH, which nobody knows yet.
// No step (a = 0) where the k leading columns together, weighted by 1/theta^2, do not stand out of their noise: one
// alone may by chance. Values below 0.3 theta_k do not amplify their noise further.
#pragma once

#include <Eigen/Dense>
#include <cstdint>

namespace mbsc {

/// The share of a square that is not noise (James, Stein), with caution: max(0, 1 - 1.5 noise / signal).
double shrinkage(double signal, double noise);

struct RitzStep {
  Eigen::VectorXd values;     ///< descending: estimates of the new columns' Rayleigh quotients
  Eigen::MatrixXd turn, add;  ///< W <- W turn + H add, to be orthonormalized in order
  double error = 0;           ///< rms sine to the leading eigenvectors after the step, estimated
  bool is_heard = false;      ///< there was something to step on
};

/// T ~ W'LW; signal = H'H; noise such that the noise of H u has square u' noise u; `noise_of_T`: |noise of T|_F^2.
RitzStep ritz_step(const Eigen::MatrixXd& T, const Eigen::MatrixXd& signal, const Eigen::MatrixXd& noise,
                   double noise_of_T, int64_t k);

}  // namespace mbsc
