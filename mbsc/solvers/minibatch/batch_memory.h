// SPDX-License-Identifier: Apache-2.0
// The memory of the batches. An evaluated column j yields L_:j W_j, which stays useful after W changes.
//
//     P   the rows W_j with which column j was last multiplied (0: not yet), n x k'
//     Y = L P, always exact: a batch S adds L_:S (W_S - P_S) and sets P_S = W_S
//
// If the block is rotated, W -> W M, then P and Y are rotated too. With the control variate M ~ L (nystrom_model.h):
//
//     G = L P_f + c M (W - P_f),    P_f = P_j for the certain columns, f P_j for the others, f = others / others seen.
//
// If all rows of P come from one W, G is unbiased for any c: the certain columns (importance.h) are all evaluated, the
// others are a uniform sample without replacement, and M (W - P_f) has mean zero. (With rows from earlier W, G is only
// consistent: as W settles, P -> W.) After all columns (f = 1, P = W) G is exact. W - P_f excludes the certain columns:
// among them are points of tiny degree, where a small relative error of the model is a large error.
// The parts of a batch yield the variance. With X_b = (I - WW')(L_:b - c M_:b)(W_b - P_b), b = 1..B,
//     V = B/(B-1) [sum_b X_b'X_b - (sum_b X_b)'(sum_b X_b) / B]        the noise of their sum
//     noise of G = f^2 (1 - seen/others) sum of V over the batches     (finite population)
// The c in [0, 1] is chosen to minimize trace V. If the model is useless (narrow kernels in many dimensions, degrees
// below 1), c falls to 0. A batch that completes the columns has no noise to measure, and keeps c.
//
// The Ritz pairs come from W'LW. Its estimate is better than W'G, because L is symmetric: with E = W - P
//     W'LW = P'Y + E'Y + Y'E + E'LE = W'Y + Y'W - P'Y + E'LE.
// All terms are exact except E'LE, which belongs to pairs of columns neither of which was evaluated with this W. So,
// over the others, with R = L P - c M P and the share q of pairs seen, 1 - q = (N - s)(N - s - 1) / (N (N - 1)) after s
// of N columns,
//     B = c W'MW + (W'R + R'W - P'R) / q
// is unbiased if all rows come from one W (diagonals are zero, so no pair is a column with itself). If every column was
// evaluated with an earlier W, the error of B is quadratic in E. B has its own c. With p = s/N and
// y_ij = w_i D_ij w_j', D = L - cM, the noise of W'G is (1 - p)/p times the sum over rows of |sum_j y_ij|^2, that of B
//     (1 - p) / (2 - p)^2 [4 (1 - p) (noise of W'G) + 2 p (1 - p)/p sum_ij |y_ij|^2]      (Hoeffding).
// The last sum is estimated as the larger of two values: the sum over rows, and k'/n of the noise outside of W (which
// assumes that all rows of W have the same size).
//
// The largest entries of each row, S, are available before the batches (sparse_part.h) and need not be sampled. Over
// the others Y = (L - S) P, and S W and W'S W are added to G and B. M excludes these entries too. On Pendigits and
// Shuttle 16 entries per row remove half of the noise or more.
//
// If degrees are sampled, the same columns also improve them (degree_tally.h). Better degrees rescale P and L P
// (rescaling.h).
// Memory: five n x k' arrays besides W.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "mbsc/affinity/degrees/degree_tally.h"
#include "mbsc/solvers/minibatch/nystrom_model.h"

namespace mbsc {

template <class T>
class BatchMemory {
 public:
  /// `certain`: one flag for each own row; the columns without a flag are sampled. The tally, if any, gets every
  /// column until degrees are exact. `known` may be null; if not, any model must exclude the same entries.
  BatchMemory(const Normalized<T>& L, int64_t columns, std::vector<uint8_t> certain, DegreeTally* tally = nullptr,
              const SparsePart<T>* known = nullptr);

  int64_t certain_count() const { return certain_count_; }
  int64_t others() const { return L_->n() - certain_count_; }
  /// Parts of the batch so far. Its noise can be measured from two parts on.
  int64_t parts() const { return parts_; }
  /// Whether every column was evaluated, or will be after `more` columns. Then there is no noise, and none is measured.
  bool is_complete(int64_t more = 0) const { return seen_ + more >= others(); }
  /// Whether a step is possible: the noise of the batch was measured, or there is none.
  bool can_step() const { return parts_ > 1 || is_complete(); }
  /// Whether one part with all the others is cheaper than several parts: it evaluates each pair of columns only once.
  bool takes_all_at_once() const { return seen_ == 0 && !tally_ && 2 * others() > L_->n(); }

  /// Multiplies columns that are in memory. They must be certain.
  void add_kept(const KeptColumns<T>& kept, MatrixView<const T> W);
  /// Multiplies certain columns (ascending).
  void add_certain(std::span<const int64_t> columns, MatrixView<const T> W, const StopToken& stop);
  /// Multiplies one part of a batch. The model may be null. If the batch completes the columns, `completes` must be
  /// true in all of its parts.
  void add(std::span<const int64_t> columns, MatrixView<const T> W, const NystromModel<T>* model, const StopToken& stop,
           bool completes = false);
  /// Adds the batch, which used this W, and its noise to the estimates.
  void end_batch(MatrixView<const T> W, const NystromModel<T>* model);
  /// Call this after W has changed to W_new: the rows of P follow by M = W'W_new.
  void turn(const Eigen::MatrixXd& M);
  /// Call this when better degrees are available; not within a batch. The caller must divide W by r and rotate it.
  void rescale(const Rescaling<T>& by);

  /// The current estimate of LW; not within a batch.
  struct Estimate {
    Matrix<T> H;                      ///< (I - WW') G
    Eigen::MatrixXd projected;        ///< B ~ W'LW
    Eigen::MatrixXd noise;            ///< k' x k': the noise of H u has square u' noise u
    Eigen::Vector2d projected_noise;  ///< |noise of B|_F^2, off the diagonal and on it
    double control_variate = 0;       ///< c
  };
  Estimate estimate(MatrixView<const T> W, const NystromModel<T>* model);

 private:
  /// Sums over the parts of a batch, of products of G_b = L_:b W_b and of its value in the model, M_b. Outside: of the
  /// components orthogonal to W. Inside: of the entries of W'G_b, W'M_b.
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
  Eigen::MatrixXd noise_;        ///< V summed over the batches
  Eigen::Vector2d projected_noise_ = Eigen::Vector2d::Zero();
};

}  // namespace mbsc
