// SPDX-License-Identifier: Apache-2.0
// What the batches have told: a column j that was evaluated leaves L_:j W_j behind, of use also when W moves on.
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
// The parts of a batch tell the variance: with X_b = (I - WW')(L_:b - c M_:b)(W_b - P_b), b = 1..B,
//     V = B/(B-1) [sum_b X_b'X_b - (sum_b X_b)'(sum_b X_b) / B]        the noise of their sum
//     noise of G = f^2 (1 - seen/others) sum of V over the batches     (finite population)
// and c in [0, 1] is the one that makes trace V least. Where the model is useless (narrow kernels in many dimensions,
// degrees below 1) c falls to 0. A batch after which every column was seen has no noise to measure, and keeps c.
//
// W'LW, from which the Ritz pairs come, is known better than W'G, since L is symmetric: with E = W - P
//     W'LW = P'Y + E'Y + Y'E + E'LE = W'Y + Y'W - P'Y + E'LE,
// and but for E'LE, of pairs of columns neither of which was seen with this W, all is exact. So, over the others, with
// R = L P - c M P and the share q of pairs seen, 1 - q = (N - s)(N - s - 1) / (N (N - 1)) after s of N columns,
//     B = c W'MW + (W'R + R'W - P'R) / q
// is unbiased for rows of one W (diagonals are zero, so that no pair is of a column with itself) and
// off by the square of E where every column was seen with an earlier W. It has a c of its own. With p = s/N and y_ij =
// w_i D_ij w_j', D = L - cM, the noise of W'G is (1 - p)/p times the sum over rows of |sum_j y_ij|^2, that of B
//     (1 - p) / (2 - p)^2 [4 (1 - p) (noise of W'G) + 2 p (1 - p)/p sum_ij |y_ij|^2]      (Hoeffding),
// the last sum taken as the larger of the sum over rows and, with rows of W all alike, k'/n of the noise outside of W.
//
// The largest entries of each row, S, are known beforehand (sparse_part.h) and need not be sampled: over the others
// Y = (L - S) P, and S W and W'S W are added to G and B. M is without these entries too. On Pendigits and Shuttle half
// of the noise or more goes with 16 entries a row.
//
// The same columns tell the degrees, where these are sampled (degree_tally.h): better ones rescale P and L P
// (rescaling.h).
// Memory: five n x k' arrays beside W.
#pragma once

#include <Eigen/Dense>
#include <span>
#include <vector>

#include "mbsc/affinity/degree_tally.h"
#include "mbsc/solvers/nystrom_model.h"

namespace mbsc {

template <class T>
class BatchMemory {
 public:
  /// `certain`: own rows flagged, as many in all; the rest is sampled. The tally, where there is one, hears of every
  /// column until degrees are exact. `known` may be null; with it any model must have left out the same entries.
  BatchMemory(const Normalized<T>& L, int64_t columns, std::vector<uint8_t> certain, DegreeTally* tally = nullptr,
              const SparsePart<T>* known = nullptr);

  int64_t certain_count() const { return certain_count_; }
  int64_t others() const { return L_->n() - certain_count_; }
  /// Of the batch so far; two or more tell its noise.
  int64_t parts() const { return parts_; }
  /// Every column was seen, or will have been with as many more: then there is no noise, and none is measured.
  bool is_complete(int64_t more = 0) const { return seen_ + more >= others(); }
  /// Whether a single part with all the others is cheaper than several: pairs of them are then evaluated once.
  bool takes_all_at_once() const { return seen_ == 0 && !tally_ && 2 * others() > L_->n(); }

  /// Multiplies columns that are in memory, which are certain ones.
  void add_kept(const KeptColumns<T>& kept, MatrixView<const T> W);
  /// Multiplies certain columns (ascending).
  void add_certain(std::span<const int64_t> columns, MatrixView<const T> W, const StopToken& stop);
  /// Multiplies one part of a batch. The model may be null. A batch that completes the columns says so beforehand, and
  /// in all of its parts.
  void add(std::span<const int64_t> columns, MatrixView<const T> W, const NystromModel<T>* model,
           const StopToken& stop, bool completes = false);
  /// Takes the batch, which had this W, into what is known, and its noise.
  void end_batch(MatrixView<const T> W, const NystromModel<T>* model);
  /// W has become W_new; rows of P follow by M = W'W_new.
  void turn(const Eigen::MatrixXd& M);
  /// Degrees have become better; not within a batch. W is to be divided by r, and turned, by the caller.
  void rescale(const Rescaling<T>& by);

  /// What is known of LW; not within a batch.
  struct Estimate {
    Matrix<T> H;                 ///< (I - WW') G
    Eigen::MatrixXd projected;   ///< B ~ W'LW
    Eigen::MatrixXd noise;       ///< k' x k': the noise of H u has square u' noise u
    Eigen::Vector2d projected_noise;  ///< |noise of B|_F^2, beside the diagonal and on it
    double control_variate = 0;  ///< c
  };
  Estimate estimate(MatrixView<const T> W, const NystromModel<T>* model);

 private:
  /// Sums over the parts of a batch of products of G_b = L_:b W_b and of what the model says of it, M_b, outside
  /// of W, and inside: of the entries of W'G_b, W'M_b.
  struct Products {
    Eigen::MatrixXd GG, GM, MM;
    void add(const Eigen::MatrixXd& gg, const Eigen::MatrixXd& gm, const Eigen::MatrixXd& mm);
    Eigen::MatrixXd with(double c) const { return GG - c * (GM + GM.transpose()) + c * c * MM; }
  };
  Matrix<T> take_changes(std::span<const int64_t> columns, MatrixView<const T> W);
  void add_products(MatrixView<const T> W, MatrixView<const T> G, MatrixView<const T> M, Products& outside,
                    Products& inside) const;
  Matrix<T> others_of(MatrixView<const T> V) const;
  Eigen::MatrixXd project(MatrixView<const T> W, const NystromModel<T>* model, double c, double outside,
                          Eigen::Vector2d& noise) const;

  const Normalized<T>* L_;
  DegreeTally* tally_;
  const SparsePart<T>* known_;  ///< S
  std::vector<uint8_t> certain_;
  int64_t certain_count_ = 0;
  Matrix<T> P_, rest_, sure_, batch_;
  Matrix<T> batch_rows_;  ///< W_j - P_j of the columns of this batch, 0 elsewhere
  Products outside_, inside_;
  int64_t parts_ = 0, seen_ = 0;
  double c_ = 0, c_inside_ = 0;  ///< weights of the control variate
  Eigen::MatrixXd noise_;  ///< V summed over the batches
  Eigen::Vector2d projected_noise_ = Eigen::Vector2d::Zero();
};

}  // namespace mbsc
