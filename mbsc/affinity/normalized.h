// SPDX-License-Identifier: Apache-2.0
// Normalized: L = S (A + (tau/n) 11') S with S = (D + tau)^-1/2, the operator whose leading eigenvectors are wanted.
// A is sampled or multiplied through the Affinity; the rank-one regularization is always applied exactly.
// A row whose degree is zero (an isolated point) is a zero row: S_i = 0.
// tau = regularization times the mean degree. Eigenvalues lie in [-1, 1]; the largest is 1.
#pragma once

#include <span>
#include <vector>

#include "mbsc/affinity/affinity.h"

namespace mbsc {

template <class T>
class Normalized {
 public:
  /// Refuses degrees that are all zero. The affinity must outlive this.
  Normalized(const Affinity<T>& affinity, Degrees degrees, double regularization);
  Normalized(const Affinity<T>& affinity, std::vector<double> degrees, double regularization)
      : Normalized(affinity, only_sums(std::move(degrees)), regularization) {}

  const RowSpace& rows() const { return affinity_->rows(); }
  const Comm& comm() const { return rows().comm(); }
  int64_t n() const { return affinity_->n(); }
  int64_t kernel_values() const { return affinity_->kernel_values(); }
  double cost_of_value() const { return affinity_->cost_of_value(); }

  /// out = S A[:, columns] S[columns] C: what an estimator samples. Columns ascend. Adds the sums of A over these
  /// columns to `row_sums` (own rows), where it is not null.
  void multiply_columns(std::span<const int64_t> columns, MatrixView<const T> C, MatrixView<T> out,
                        const StopToken& stop, std::vector<double>* row_sums = nullptr) const;
  /// The same with all columns, each pair evaluated once: out = S A S W.
  void multiply_all_columns(MatrixView<const T> W, MatrixView<T> out, const StopToken& stop) const {
    multiply_scaled(W, out, stop, nullptr, false);
  }
  /// out += (tau/n) s s'W: what it need not sample.
  void add_exact(MatrixView<const T> W, MatrixView<T> out) const;
  /// out = L W; row sums likewise, which are the degrees.
  void multiply(MatrixView<const T> W, MatrixView<T> out, const StopToken& stop,
                std::vector<double>* row_sums = nullptr) const;
  /// The same from entries evaluated anew, in full precision (Affinity::multiply_anew): for what is reported.
  void multiply_anew(MatrixView<const T> W, MatrixView<T> out, const StopToken& stop) const;
  /// By how much |L w| may be off in `multiply` for |w| = 1: entries are never negative, so that errors of at most this
  /// share of each are errors of at most this share of |L| <= 1.
  double entry_error() const { return affinity_->entry_error(); }

  /// a(x, x) / d_i of own rows: what the zero diagonal of the affinity hides, beside what there is without the
  /// regularization; 0 where there is nothing.
  std::vector<double> hidden_diagonal() const;
  /// a(x, x) s_i^2 of own rows: what the diagonal of that kernel has beside the regularization.
  std::vector<double> definite_diagonal() const;
  std::unique_ptr<const ColumnBlock<T>> take_columns(std::span<const int64_t> columns) const {
    return affinity_->take_columns(columns);
  }
  /// For Nystrom, the kernel with a(x, x) on its diagonal: rows (local) x columns, or a square block of points.
  void evaluate_definite(Range rows, const ColumnBlock<T>& columns, MatrixView<T> out) const;
  void evaluate_definite_square(std::span<const int64_t> points, MatrixView<T> out) const;
  /// What the regularization adds to entry (i, j) of L.
  T flat(int64_t i, int64_t j) const { return T(tau_ / double(n())) * inverse_root_degree(i) * inverse_root_degree(j); }
  /// out += (that kernel - L without its regularization)[:, columns] C: what both have beside the kernel values.
  void add_definite(std::span<const int64_t> columns, MatrixView<const T> C, MatrixView<T> out) const;
  /// out = (that kernel)[:, columns] C.
  void multiply_definite_columns(std::span<const int64_t> columns, MatrixView<const T> C, MatrixView<T> out,
                                 const StopToken& stop) const;

  /// About |L_:j|^2 of own rows: q_j s_j^4, exact where neighbors have like degrees. All alike where q is not known.
  std::vector<double> column_squares() const;

  /// s_i = (d_i + tau)^-1/2 of own rows, 0 where isolated.
  std::span<const T> inverse_root_degrees() const { return s_; }
  /// The same of any row.
  T inverse_root_degree(int64_t global_row) const { return all_s_[size_t(global_row)]; }
  std::span<const double> degrees() const { return degrees_.sum; }
  const Degrees& all_degrees() const { return degrees_; }
  /// The same operator with better degrees.
  Normalized with(Degrees degrees) const { return Normalized(*affinity_, std::move(degrees), regularization_); }
  double regularization_added() const { return tau_; }
  /// Own rows that have no neighbor at all.
  std::span<const uint8_t> isolated() const { return isolated_; }
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
  std::vector<T> all_s_;  ///< every row: batches come from anywhere
  std::vector<uint8_t> isolated_;
  int64_t isolated_count_ = 0;
  double regularization_, tau_ = 0;
};

}  // namespace mbsc
