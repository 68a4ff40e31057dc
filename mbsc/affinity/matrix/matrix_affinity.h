// SPDX-License-Identifier: Apache-2.0
// MatrixAffinity: a dense n x n matrix of affinities that the caller has computed. It is used in place, without a copy.
// Its diagonal counts as zero.
// Cost: a product reads each entry once. Memory: if there are several ranks, the right-hand sides of all rows.
#pragma once

#include "mbsc/affinity/affinity.h"
#include "mbsc/input.h"

namespace mbsc {

template <class T>
class MatrixAffinity final : public Affinity<T> {
 public:
  /// `matrix` contains the rows of this rank. Throws InvalidInput unless the whole matrix is square, symmetric (to 1e-5
  /// of its largest entry), finite and not negative.
  MatrixAffinity(const Points& matrix, const RowSpace& rows);

  void multiply_columns(std::span<const int64_t> columns, MatrixView<const T> C, MatrixView<T> out,
                        const StopToken& stop) const override;
  void multiply(MatrixView<const T> V, MatrixView<T> out, const StopToken& stop) const override;
  std::unique_ptr<const ColumnBlock<T>> take_columns(std::span<const int64_t> columns) const override;
  void evaluate_square(std::span<const int64_t> points, MatrixView<T> out) const override;
  Degrees degrees(const StopToken& stop, const std::function<void(double)>& progress = {},
                  int64_t neighbors = 0) const override;
  /// The mean of the given diagonal if it is positive, else the largest entry. With either, the landmark block of
  /// Nystrom is close to positive definite.
  double self_similarity() const override { return self_similarity_; }

 private:
  class Block;

  void check_entries();
  void check_symmetry() const;
  /// Calls compare(i, j, a_ij, a_ji) for own rows i and the rows j of all other ranks.
  template <class Compare>
  void compare_with_other_ranks(const Compare& compare) const;
  /// The entry of a local row i and a global column j.
  T entry(int64_t i, int64_t j) const { return first_ + i == j ? T{} : T(matrix_.raw(i, j)); }

  Points matrix_;
  int64_t first_ = 0;   ///< global number of the first own row
  double largest_ = 0;  ///< the largest entry
  double self_similarity_ = 1;
};

}  // namespace mbsc
