// SPDX-License-Identifier: Apache-2.0
// A precomputed dense affinity: the caller's n x n matrix, looked at where it lies. The diagonal is taken as zero.
#pragma once

#include "mbsc/affinity/affinity.h"
#include "mbsc/base/points.h"

namespace mbsc {

template <class T>
class MatrixAffinity final : public Affinity<T> {
 public:
  /// `matrix` has this rank's rows of one that is square, symmetric (to 1e-5 of its largest entry), finite and not
  /// negative; else InvalidInput.
  MatrixAffinity(const Points& matrix, const RowSpace& rows);

  void multiply_columns(std::span<const int64_t> columns, MatrixView<const T> C, MatrixView<T> out,
                        const StopToken& stop) const override;
  void multiply(MatrixView<const T> V, MatrixView<T> out, const StopToken& stop) const override;
  std::unique_ptr<const ColumnBlock<T>> take_columns(std::span<const int64_t> columns) const override;
  void evaluate_square(std::span<const int64_t> points, MatrixView<T> out) const override;
  Degrees degrees(const StopToken& stop, const std::function<void(double)>& progress = {},
                  int64_t neighbors = 0) const override;
  /// The mean of the given diagonal where it is positive, else the largest entry: what keeps Nystrom's block
  /// from being far from definite.
  double self_similarity() const override { return self_similarity_; }

 private:
  class Block;

  void check_entries();
  void check_symmetry() const;
  /// Own row i (local), column j (global).
  T entry(int64_t i, int64_t j) const { return first_ + i == j ? T{} : T(matrix_.raw(i, j)); }

  Points matrix_;
  int64_t first_ = 0;   ///< the first own row
  double largest_ = 0;  ///< entry
  double self_similarity_ = 1;
};

}  // namespace mbsc
