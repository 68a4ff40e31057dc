// SPDX-License-Identifier: Apache-2.0
// A model of L. Products with it need no kernel values. It is the low-rank matrix of Nystrom minus a diagonal,
//     L ~ Q Theta Q' - diag(h).
// Q Theta Q' approximates L + diag(a(x, x) s^2), the kernel with a(x, x) on its diagonal (normalized.h defines s). If
// degrees are small, this diagonal is large, and the vectors of plain Nystrom are those of the diagonal, not of L. On
// Shuttle, they miss four of seven leading eigenvectors; the model finds all seven from the same landmarks.
// The degrees give a better h than a(x, x) s^2. For u = 1/s, L u = u holds exactly. It also holds for the model if
//     h_i = (Q Theta Q'u)_i / u_i - 1.
// The low-rank matrix misses a part of each row: the affinities to points near the point itself. At these points, a
// slowly varying function has nearly the same value as at the point itself, so this part may be moved to the diagonal.
// With the same 2,000 landmarks, this makes the error 6 to 12 times smaller on Shuttle, Covtype-I and narrow kernels of
// Pendigits. If degrees are sampled, the model uses h = a(x, x) s^2.
// The model has two uses. Its leading eigenvectors are the warm start; a Krylov space finds them without kernel values.
// And it is the control variate of the batches.
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
  /// out = M V, where M models what the batches sample: L without the regularization, which has rank one and is never
  /// sampled. Rows and columns of points whose degree is below a(x, x) are zero: the entries of L are large there, and
  /// a small relative error of the model is a large error. The diagonal of M is zero, like that of the matrix it
  /// models, because the batches use single entries. (multiply() subtracts h instead, which is chosen to give good
  /// eigenvectors.) The entries given to leave_out() are zero too.
  void multiply_sampled(MatrixView<const T> V, MatrixView<T> out) const;
  /// The c leading eigenvectors of the model, orthonormal, by descending eigenvalue. If the rank of the model is below
  /// c, the remaining columns are random. If no landmark is near a point, its whole row would be on the diagonal, and
  /// the point would get an eigenvector of its own. So this call permanently limits the diagonal of the model to half
  /// of the c-th entry of Theta. The residuals are below `residual`, or as small as six products make them. If
  /// `residual` >= 1, the vectors are the best ones in the span of the first 100 + c columns of Q, without Krylov
  /// products.
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
