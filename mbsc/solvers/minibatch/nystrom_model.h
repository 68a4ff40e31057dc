// SPDX-License-Identifier: Apache-2.0
// A model of L. Products with it need no kernel values. It is the low-rank matrix of Nystrom minus a diagonal,
//     L ~ Q Theta Q' - diag(h).
// Q Theta Q' approximates L + diag(a(x, x) s^2), the kernel with a(x, x) on its diagonal (s: normalized.h). If degrees
// are small, this diagonal is large, and the vectors of plain Nystrom are those of the diagonal, not of L: on Shuttle
// they miss four of seven leading eigenvectors that the model finds from the same landmarks.
// The degrees give a better h than a(x, x) s^2. For u = 1/s, L u = u holds exactly, so
//     h_i = (Q Theta Q'u)_i / u_i - 1.
// The part of a row that the low-rank matrix misses belongs to points near the point itself. A slowly varying function
// has nearly the same value there, so this part may be moved to the diagonal. From the same 2,000 landmarks this leaves
// 6 to 12 times less error on Shuttle, Covtype-I and narrow kernels of Pendigits. If degrees are sampled, the model
// uses h = a(x, x) s^2.
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
  /// columns of points whose degree is below a(x, x) are zero: h is large there, and a small relative error of it is a
  /// large error. The diagonal of M is zero like that of L, because here single entries matter; multiply() is for
  /// eigenvectors. The entries given to leave_out() are zero too.
  void multiply_sampled(MatrixView<const T> V, MatrixView<T> out) const;
  /// The c leading eigenvectors of the model, orthonormal and in order. If its rank is below c, random columns fill the
  /// rest. If no landmark is near a point, its whole row would be on the diagonal, and the point would get an
  /// eigenvector of its own. So this call limits the diagonal of the model, permanently, to half of the c-th value. The
  /// residuals are below `residual`, or as small as six products make them. If `residual` >= 1, the result is the best
  /// within the first 100 + c columns of Q, without Krylov products.
  Matrix<T> leading(int64_t c, uint64_t seed, double residual = 1e-5);
  /// Excludes the entries of this graph, which are known exactly (sparse_part.h), from multiply_sampled(). The graph
  /// must outlive this object.
  void leave_out(const NeighborGraph& graph);
  /// Rescales the model to better degrees. Do not call it after leave_out().
  void rescale(const Rescaling<T>& by);
  int64_t rank() const { return basis_.vectors.cols(); }
  int64_t columns_evaluated() const { return basis_.columns_evaluated; }
  /// The landmark columns that are in memory; empty from the second call on.
  KeptColumns<T> take_kept() { return std::move(basis_.kept); }

 private:
  void take_diagonals();
  /// out = Q Theta (Q'V), where `projected` is Q'V.
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
