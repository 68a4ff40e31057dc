// SPDX-License-Identifier: Apache-2.0
// BatchMemory: estimates of LW and W'LW from all columns evaluated so far. When column j was evaluated, it was
// multiplied by row W_j of the block as it was then. The product L_:j W_j stays useful after W has changed.
//
//     P   row P_j is the W_j by which column j was last multiplied (0: not yet), n x k'
//     Y = L P, always exact: a batch J adds L_:J (W_J - P_J) and sets P_J = W_J
//
// If the block is rotated, P and Y are rotated too. With the control variate M ~ L (nystrom_model.h), the estimate of
// LW is
//
//     G = L P_f + c M (W - P_f)
//
// A column is either fixed (sample.cpp) or one of the others. Row j of P_f is P_j if column j is fixed, and f P_j if it
// is one of the others, where f = (number of the others) / (number of the others seen so far). If all rows of P come
// from one W, G is unbiased for any c, because the fixed columns are all evaluated, the others are a uniform sample
// without replacement, and M (W - P_f) has mean zero. (If some rows come from an earlier W, G is only consistent:
// P -> W as W converges.) When all columns have been multiplied by the current W (f = 1, P = W), G is exact.
// The rows of the fixed columns in W - P_f are set to 0, so that the model is not used for them. Some of these points
// have a tiny degree, where a small relative error of the model is a large error.
//
// A batch is evaluated in m parts. The differences between the parts yield the noise of the batch. For part b, let
//     X_b = (I - WW')(L_:b - c M_:b)(W_b - P_b). Then
//     V = m/(m-1) [sum_b X_b'X_b - (sum_b X_b)'(sum_b X_b) / m]        the noise of sum_b X_b
//     noise of G = f^2 (1 - seen/others) sum of V over the batches     (finite population)
// Such a noise is a k' x k' matrix: u'Vu is the expected square of the error of sum_b X_b u. c is the value in [0, 1]
// that minimizes trace V. If the model is useless (narrow kernels in many dimensions, degrees below 1), c falls to 0.
// If all columns are seen after a batch, there is no noise to measure, and c does not change.
//
// The Ritz pairs come from an estimate B of W'LW. Because L is symmetric, there is a better estimate than W'G. With
// E = W - P
//     W'LW = P'Y + E'Y + Y'E + E'LE = W'Y + Y'W - P'Y + E'LE.
// All terms are known exactly except E'LE. This term comes from the pairs of columns neither of which was evaluated
// with this W. Let N be the number of the columns that are not fixed; s of them were seen. A share q of their pairs
// contains a seen column, where
//     1 - q = (N - s)(N - s - 1) / (N (N - 1)).
// Over these N columns, with R = L P - c M P, the estimate
//     B = c W'MW + (W'R + R'W - P'R) / q
// is unbiased if all rows of P come from one W (the diagonals are zero, so a pair of a column with itself contributes
// nothing). If all columns were evaluated, but some of them with an earlier W, the error of B is quadratic in E. B has
// a c of its own.
// Let p = s/N, D = L - cM, and y_ij = w_i'w_j D_ij, where w_i is row i of W, so that y_ij is k' x k'. The squared noise
// of W'G is (1 - p)/p times sum_i |sum_j y_ij|^2. The squared noise of B is
//     (1 - p) / (2 - p)^2 [4 (1 - p) (squared noise of W'G) + 2 (1 - p) sum_ij |y_ij|^2]      (Hoeffding).
// The last sum is not measured. Instead, (1 - p)/p times this sum is estimated by the larger of two values: the squared
// noise of W'G, and k'/n times the squared noise of (I - WW')G (the second value assumes that all rows of W have the
// same norm).
//
// The largest entries of each row form the matrix S. They are known before the batches (sparse_part.h) and need not be
// sampled. So for the columns that are not fixed, Y is (L - S) P, and S W and W'S W are added to G and B. M excludes
// these entries too. On Pendigits and Shuttle, 16 entries per row remove half of the noise or more.
//
// If degrees are sampled, the same columns also improve the degrees (degree_tally.h). P and L P are then rescaled to
// the better degrees (rescaling.h).
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
  /// `columns`: k', the number of columns of the block. `fixed`: a flag for each own row, 1 if its column is fixed; the
  /// other columns are sampled. The tally, if any, gets every column until degrees are exact. `known`: the largest
  /// entries S, or null. If S is given, a model must leave out the same entries.
  BatchMemory(const Normalized<T>& L, int64_t columns, std::vector<uint8_t> fixed, DegreeTally* tally = nullptr,
              const SparsePart<T>* known = nullptr);

  int64_t fixed_count() const { return fixed_count_; }
  /// The number of columns that are not fixed.
  int64_t others() const { return L_->n() - fixed_count_; }
  /// The number of parts of the current batch so far. The noise of the batch can be measured if there are two or more.
  int64_t parts() const { return parts_; }
  /// Whether every column was evaluated, or will be after `more` columns. Then there is no noise, and none is measured.
  bool is_complete(int64_t more = 0) const { return seen_ + more >= others(); }
  /// Whether a step is possible: the noise of the batch was measured, or there is none.
  bool can_step() const { return parts_ > 1 || is_complete(); }
  /// Whether one part with all columns that are not fixed is cheaper than several parts, because a full product
  /// evaluates a_ij once for both a_ij and a_ji.
  bool takes_all_at_once() const { return seen_ == 0 && !tally_ && 2 * others() > L_->n(); }

  /// Multiplies the stored columns by their rows of W. They must be fixed.
  void add_kept(const KeptColumns<T>& kept, MatrixView<const T> W);
  /// Multiplies fixed columns (ascending) by their rows of W.
  void add_fixed(std::span<const int64_t> columns, MatrixView<const T> W, const StopToken& stop);
  /// Multiplies the columns of one part of a batch by their rows of W. The model may be null. If all columns will have
  /// been seen after this batch, `completes` must be true for each of its parts.
  void add(std::span<const int64_t> columns, MatrixView<const T> W, const NystromModel<T>* model, const StopToken& stop,
           bool completes = false);
  /// Ends the batch: adds its products and its noise to the estimates. W must be the same as in add().
  void end_batch(MatrixView<const T> W, const NystromModel<T>* model);
  /// Rotates P and L P. Call this after W has changed to W_new, with M = W'W_new.
  void turn(const Eigen::MatrixXd& M);
  /// Rescales P and L P to better degrees; not within a batch. The caller must also divide the rows of W by r
  /// (rescaling.h), orthonormalize W, and then call turn().
  void rescale(const Rescaling<T>& by);

  /// The current estimates of LW and W'LW. Call estimate() only between batches.
  struct Estimate {
    Matrix<T> H;                      ///< (I - WW') G
    Eigen::MatrixXd projected;        ///< B ~ W'LW
    Eigen::MatrixXd noise;            ///< k' x k'; u' noise u is the squared noise of H u
    Eigen::Vector2d projected_noise;  ///< |noise of B|_F^2: off the diagonal, and on it
    double control_variate = 0;       ///< c
  };
  Estimate estimate(MatrixView<const T> W, const NystromModel<T>* model);

 private:
  /// Sums over the parts b of a batch: GG of G_b'G_b, GM of G_b'M_b, MM of M_b'M_b, where G_b = (L - S)_:b (W_b - P_b)
  /// and M_b is the same product with the model. outside_ has these sums for the components of G_b and M_b orthogonal
  /// to W. inside_ has the sums of products of the entries of W'G_b and W'M_b, as diagonal 2 x 2 matrices: first over
  /// the entries off the diagonal, then over those on it.
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
  std::vector<uint8_t> is_fixed_;
  int64_t fixed_count_ = 0;
  Matrix<T> P_;             ///< P
  Matrix<T> rest_, fixed_;  ///< L P: over the columns that are not fixed (without S), and over the fixed ones
  Matrix<T> batch_;         ///< the sum of the products of the current batch
  Matrix<T> batch_rows_;    ///< W_j - P_j of the columns of this batch, 0 elsewhere
  Products outside_, inside_;
  int64_t parts_ = 0, seen_ = 0;
  double c_ = 0, c_inside_ = 0;  ///< weights of the control variate
  Eigen::MatrixXd noise_;        ///< V summed over the batches
  Eigen::Vector2d projected_noise_ = Eigen::Vector2d::Zero();
};

}  // namespace mbsc
