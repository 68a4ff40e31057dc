// SPDX-License-Identifier: Apache-2.0
// Normalized: the operator L = S (A + (tau/n) 11') S with S = (D + tau)^-1/2. Solvers compute its leading eigenvectors.
// D is the diagonal matrix of the degrees d_i, 1 is the vector of ones, and tau is the regularization times the mean
// degree. The vector s is the diagonal of S. The eigenvalues lie in [-1, 1]; the largest is 1. If tau = 0 and d_i = 0
// (an isolated point), then s_i = 0, and row i of L is zero. Products with A go through the Affinity. The part
// (tau/n) s s' of L has rank one and is always applied exactly.
//
// The definite kernel, which Nystrom needs, is S (A + a(x, x) I + (tau/n) 11') S: the zero diagonal of A is replaced by
// a(x, x), the kernel value of a point with itself.
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "mbsc/affinity/affinity.h"

namespace mbsc {

template <class T>
class Normalized {
 public:
  /// Throws InvalidInput if all degrees are zero. The affinity must outlive this object.
  Normalized(const Affinity<T>& affinity, Degrees degrees, double regularization);
  Normalized(const Affinity<T>& affinity, std::vector<double> degrees, double regularization)
      : Normalized(affinity, only_sums(std::move(degrees)), regularization) {}

  const RowSpace& rows() const { return affinity_->rows(); }
  const Comm& comm() const { return rows().comm(); }
  int64_t n() const { return affinity_->n(); }
  int64_t kernel_values() const { return affinity_->kernel_values(); }
  double cost_of_value() const { return affinity_->cost_of_value(); }
  int64_t input_bytes() const { return affinity_->input_bytes(); }
  const SparseMatrix* edges() const { return affinity_->edges(); }
  const RowPermutation* places() const { return affinity_->places(); }
  const LandmarkFactor* factor() const { return affinity_->factor(); }

  /// out = S A[:, columns] S[columns] C, the part of L W that an estimator samples. `columns` are ascending. If
  /// `row_sums` is not null, the sum of A over these columns is added to it for each own row.
  void multiply_columns(std::span<const int64_t> columns, MatrixView<const T> C, MatrixView<T> out,
                        const StopToken& stop, std::vector<double>* row_sums = nullptr) const;
  /// out = S A S W: the same for all columns, by one full product.
  void multiply_all_columns(MatrixView<const T> W, MatrixView<T> out, const StopToken& stop) const {
    multiply_scaled(W, out, stop, nullptr, false);
  }
  /// out += (tau/n) s s' W, the part of L W that is always exact.
  void add_exact(MatrixView<const T> W, MatrixView<T> out) const;
  /// out = L W. If `row_sums` is not null, the degrees are added to it.
  void multiply(MatrixView<const T> W, MatrixView<T> out, const StopToken& stop,
                std::vector<double>* row_sums = nullptr) const;
  /// out = L W without cached entries (Affinity::multiply_anew), for results that are reported.
  void multiply_anew(MatrixView<const T> W, MatrixView<T> out, const StopToken& stop) const;
  /// A bound on |error of L w| in multiply() for |w| = 1, beyond rounding. It is the largest relative error of an
  /// entry, because the entries of L are not negative and |L| <= 1.
  double entry_error() const { return affinity_->entry_error(); }

  /// a(x, x) / d_i for own rows, 0 if d_i = 0: the omitted diagonal entry relative to the degree, without
  /// regularization.
  std::vector<double> hidden_diagonal() const;
  /// a(x, x) s_i^2 for own rows: the diagonal of the definite kernel without its (tau/n) term.
  std::vector<double> definite_diagonal() const;
  std::unique_ptr<const ColumnBlock<T>> take_columns(std::span<const int64_t> columns) const {
    return affinity_->take_columns(columns);
  }
  /// out = a block of the definite kernel: local rows x columns, or the square block of some points.
  void evaluate_definite(Range rows, const ColumnBlock<T>& columns, MatrixView<T> out) const;
  void evaluate_definite_square(std::span<const int64_t> points, MatrixView<T> out) const;
  /// The part of entry (i, j) of L that comes from the regularization.
  T flat(int64_t i, int64_t j) const { return T(tau_ / double(n())) * inverse_root_degree(i) * inverse_root_degree(j); }
  /// out += (definite kernel - S A S)[:, columns] C: the diagonal and the regularization, which need no kernel values.
  void add_definite(std::span<const int64_t> columns, MatrixView<const T> C, MatrixView<T> out) const;
  /// out = (definite kernel)[:, columns] C.
  void multiply_definite_columns(std::span<const int64_t> columns, MatrixView<const T> C, MatrixView<T> out,
                                 const StopToken& stop) const;

  /// For each own row j, the approximate squared norm of column j of L: q_j s_j^4, with q_j = Degrees::squares. Without
  /// regularization it is exact if neighbors have equal degrees. If q is not known, the result is 1 for each row that
  /// is not isolated, else 0.
  std::vector<double> column_squares() const;

  /// s_i = (d_i + tau)^-1/2 for own rows; 0 for isolated rows.
  std::span<const T> inverse_root_degrees() const { return s_; }
  /// The same for any row.
  T inverse_root_degree(int64_t global_row) const { return all_s_[size_t(global_row)]; }
  std::span<const double> degrees() const { return degrees_.sum; }
  const Degrees& all_degrees() const { return degrees_; }
  /// The operator with the same affinity and regularization, but with other degrees.
  Normalized with(Degrees degrees) const { return Normalized(*affinity_, std::move(degrees), regularization_); }
  /// tau.
  double regularization_added() const { return tau_; }
  /// For each own row, whether it is isolated: s_i = 0.
  std::span<const uint8_t> isolated() const { return isolated_; }
  /// The number of isolated rows over all ranks.
  int64_t isolated_count() const { return isolated_count_; }

 private:
  void multiply_scaled(MatrixView<const T> W, MatrixView<T> out, const StopToken& stop, std::vector<double>* row_sums,
                       bool anew) const;
  static Degrees only_sums(std::vector<double> sums) {
    Degrees degrees;
    degrees.sum = std::move(sums);
    return degrees;
  }

  const Affinity<T>* affinity_;
  Degrees degrees_;       ///< squares may be empty
  std::vector<T> s_;      ///< own rows
  std::vector<T> all_s_;  ///< the rows of all ranks, because a batch can contain columns of any rank
  std::vector<uint8_t> isolated_;
  int64_t isolated_count_ = 0;
  double regularization_, tau_ = 0;
};

}  // namespace mbsc
