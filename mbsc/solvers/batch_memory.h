// SPDX-License-Identifier: Apache-2.0
// What the batches have told: every column j evaluated once leaves L_:j W_j behind, and it stays of use when W moves on.
//
//     P   the rows W_j with which column j was last multiplied (0: not yet), n x k'
//     Y = L P, exact at any time: a batch S adds L_:S (W_S - P_S) and sets P_S = W_S
//
// A turn of the block, W -> W M, turns P and Y along. From these, with the control variate M ~ L (nystrom_model.h):
//
//     G = L P_f + c M (W - P_f),    P_f = P_j for the certain columns, f P_j for the others, f = others / others seen.
//
// For rows of one W this is unbiased for any c: the certain columns (importance.h) are all seen, the others are a
// uniform sample without replacement, and M (W - P_f) has mean zero. (Rows of earlier W make it consistent only: as W
// settles, P -> W.) Complete (f = 1, P = W) it is exact. Certain columns are left out of W - P_f: among them are points
// of tiny degree, where a model that is off by little is off by much.
// The parts of a batch tell the variance: with X_b = (I - WW')(L_:b W_b - c M_:b W_b), b = 1..B,
//     V = B/(B-1) [sum_b X_b'X_b - (sum_b X_b)'(sum_b X_b) / B]        the noise of their sum
//     noise of G = f^2 (1 - seen/others) sum of V over the batches     (finite population)
// and c in [0, 1] is the one that makes trace V least; W'G, from which the Ritz pairs come, has a c of its own. Where the model is useless (narrow kernels in many dimensions,
// degrees below 1) c falls to 0.
// Memory: five n x k' arrays beside W.
#pragma once

#include <Eigen/Dense>
#include <span>
#include <vector>

#include "mbsc/solvers/nystrom_model.h"

namespace mbsc {

template <class T>
class BatchMemory {
 public:
  /// `certain`: own rows flagged, as many in all; the rest is sampled.
  BatchMemory(const Normalized<T>& L, int64_t columns, std::vector<uint8_t> certain);

  int64_t certain_count() const { return certain_count_; }
  int64_t others() const { return L_.n() - certain_count_; }
  bool is_certain(int64_t row) const { return certain_[size_t(row)] != 0; }

  /// Multiplies certain columns (ascending).
  void add_certain(std::span<const int64_t> columns, MatrixView<const T> W, const StopToken& stop);
  /// Multiplies one part of a batch. The model may be null.
  void add(std::span<const int64_t> columns, MatrixView<const T> W, const NystromModel<T>* model,
           const StopToken& stop);
  /// W has become W_new; rows of P follow by M = W'W_new.
  void turn(const Eigen::MatrixXd& M);

  /// What is known of LW; ends the batch.
  struct Estimate {
    Matrix<T> H;                 ///< (I - WW') G
    Eigen::MatrixXd projected;   ///< W'G
    Eigen::MatrixXd noise;       ///< k' x k': the noise of H u has square u' noise u
    double projected_noise = 0;  ///< |noise of W'G|_F^2
    double control_variate = 0;  ///< c
  };
  Estimate estimate(MatrixView<const T> W, const NystromModel<T>* model);

 private:
  /// Sums over the parts of a batch of products of G_b = L_:b W_b and of what the model says of it, M_b; inside: W'..
  struct Products {
    Eigen::MatrixXd GG, GM, MM;
    void add(const Eigen::MatrixXd& gg, const Eigen::MatrixXd& gm, const Eigen::MatrixXd& mm);
    Eigen::MatrixXd with(double c) const { return GG - c * (GM + GM.transpose()) + c * c * MM; }
  };
  Matrix<T> multiply_changes(std::span<const int64_t> columns, MatrixView<const T> W, const StopToken& stop);
  void add_products(MatrixView<const T> W, MatrixView<const T> G, MatrixView<const T> M, Products& outside,
                    Products& inside) const;
  void measure_noise(MatrixView<const T> W, const NystromModel<T>* model, double& c, double& c_inside);

  const Normalized<T>& L_;
  std::vector<uint8_t> certain_;
  int64_t certain_count_ = 0;
  Matrix<T> P_, rest_, sure_, batch_;
  Matrix<T> batch_rows_;  ///< W_j of the columns of this batch, 0 elsewhere
  Products outside_, inside_;
  int64_t parts_ = 0, seen_ = 0;
  Eigen::MatrixXd noise_;  ///< V summed over the batches
  double projected_noise_ = 0;
};

}  // namespace mbsc
