// SPDX-License-Identifier: Apache-2.0
// A model of L that needs no kernel values: the low rank of Nystrom minus a diagonal,
//     L ~ Q Theta Q' - diag(h).
// Q Theta Q' approximates the kernel with a(x, x) on its diagonal, L + diag(a(x, x) s^2). If degrees are small, that
// diagonal is large, and the vectors of plain Nystrom are those of the diagonal, not of L: on Shuttle they miss four of
// seven leading eigenvectors that the model finds from the same landmarks.
// The degrees give a better h than a(x, x) does. For u = 1/s, L u = u holds exactly, so
//     h_i = (Q Theta Q'u)_i / u_i - 1.
// The part of a row that the low rank misses is near the point itself, where a slowly varying function takes the same
// value. So this part may be moved to the diagonal. From the same 2,000 landmarks this leaves 6 to 12 times less error
// on Shuttle, Covtype-I and narrow kernels of Pendigits. If degrees are sampled, h = a(x, x) s^2 is used.
// The model serves as the warm start (its own leading eigenvectors, by a Krylov space without kernel values) and as the
// control variate of the batches.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "mbsc/solvers/minibatch/sparse_part.h"
#include "mbsc/solvers/nystrom/nystrom_basis.h"
#include "mbsc/solvers/solver.h"

namespace mbsc {

template <class T>
class NystromModel {
 public:
  NystromModel(const Normalized<T>& L, const std::vector<int64_t>& landmarks, int64_t rank, const StopToken& stop);

  /// out = (model of L) V.
  void multiply(MatrixView<const T> V, MatrixView<T> out) const;
  /// out = M V, where M models what the batches sample: L without the rank-one regularization, which is exact. Rows and
  /// columns of points whose degree is below a(x, x) are zero: h is large there, and a small share of it is a large
  /// error. The diagonal of M is zero like that of L, because here the entries matter; `multiply` is for eigenvectors.
  /// The entries given to leave_out() are zero too.
  void multiply_sampled(MatrixView<const T> V, MatrixView<T> out) const;
  /// The leading eigenvectors of the model, c columns, orthonormal and in order; random ones if its rank is lower. If
  /// no landmark is near a point, its whole row would be on the diagonal, as an eigenvector of its own. So this call
  /// limits the diagonal, permanently, to half of the c-th value. The residual is at most `residual`, or what six
  /// products reach. With `residual` >= 1 the result is the best within the first 100 + c columns of Q, without Krylov
  /// products.
  Matrix<T> leading(int64_t c, uint64_t seed, double residual = 1e-5);
  /// Excludes these entries, which are known exactly (sparse_part.h), from `multiply_sampled`. The graph must outlive
  /// this object.
  void leave_out(const NeighborGraph& graph);
  /// Rescales the model to better degrees; not after `leave_out`.
  void rescale(const Rescaling<T>& by);
  int64_t rank() const { return basis_.vectors.cols(); }
  int64_t columns_evaluated() const { return basis_.columns_evaluated; }
  /// The landmark columns that are in memory; empty from the second call on.
  KeptColumns<T> take_kept() { return std::move(basis_.kept); }

 private:
  void take_diagonals();
  /// out = Q Theta (Q'V).
  void multiply_low_rank(const Eigen::MatrixXd& projected, MatrixView<T> out) const;
  bool is_trusted(int64_t row) const { return hidden_[size_t(row)] > 0 && hidden_[size_t(row)] <= 1; }

  const Normalized<T>* L_;
  NystromBasis<T> basis_;
  std::vector<double> hidden_;     ///< a(x, x) / degree
  std::vector<double> taken_out_;  ///< h
  std::vector<double> own_;        ///< the diagonal of Q Theta Q' without the regularization
  const NeighborGraph* left_out_ = nullptr;
  std::vector<T> on_edges_;  ///< the excluded entries of Q Theta Q', without the regularization
};

}  // namespace mbsc
