// SPDX-License-Identifier: Apache-2.0
// A model of L that costs no kernel values: Nystrom's low rank with the diagonal taken out again, exactly,
//     L ~ Q Theta Q' - diag(h),    h_i = a(x, x) s_i^2,
// since Q Theta Q' approximates L + diag(h), the kernel with a(x, x) on its diagonal. Where degrees are small h is
// large, and Nystrom's own vectors are those of h, not of L: on Shuttle they miss four of seven leading eigenvectors
// that the model finds from the same landmarks. It serves as the warm start (its own leading eigenvectors, by a Krylov
// space without kernel values) and as the control variate of the batches.
#pragma once

#include <Eigen/Dense>
#include <vector>

#include "mbsc/solvers/nystrom_basis.h"
#include "mbsc/solvers/solver.h"

namespace mbsc {

template <class T>
class NystromModel {
 public:
  NystromModel(const Normalized<T>& L, const std::vector<int64_t>& landmarks, int64_t rank, const StopToken& stop);

  /// out = (model of L) V.
  void multiply(MatrixView<const T> V, MatrixView<T> out) const;
  /// out = (model of what batches sample: L without the rank-one regularisation, which is exact) V, with zeros in rows
  /// and columns of points whose degree is below a(x, x): there h is large, and a small share of it a large error. Its
  /// diagonal is zero, as that of L is: here entries count, while `multiply` is about eigenvectors.
  void multiply_sampled(MatrixView<const T> V, MatrixView<T> out) const;
  /// The model's leading eigenvectors, c columns, orthonormal and in order; random ones where its rank is lower.
  Matrix<T> leading(int64_t c, const SolverOptions& options) const;
  /// The model as better degrees have it.
  void rescale(const Rescaling<T>& by);
  int64_t rank() const { return basis_.vectors.cols(); }
  int64_t columns_evaluated() const { return basis_.columns_evaluated; }
  /// The landmark columns that are in memory; empty after the first call.
  KeptColumns<T> take_kept() { return std::move(basis_.kept); }

 private:
  void take_diagonals();
  /// out = Q Theta (Q'V).
  void multiply_low_rank(const Eigen::MatrixXd& projected, MatrixView<T> out) const;
  bool is_trusted(int64_t row) const { return hidden_[size_t(row)] > 0 && hidden_[size_t(row)] <= 1; }

  const Normalized<T>* L_;
  NystromBasis<T> basis_;
  std::vector<double> hidden_;    ///< a(x, x) / degree
  std::vector<double> definite_;  ///< h
  std::vector<double> own_;       ///< the diagonal of Q Theta Q' without the regularisation
};

}  // namespace mbsc
