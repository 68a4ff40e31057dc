// SPDX-License-Identifier: Apache-2.0
// A precomputed dense affinity: the caller's n x n matrix, looked at where it lies. The diagonal is taken as zero.
#pragma once

#include "mbsc/affinity/affinity.h"
#include "mbsc/base/points.h"

namespace mbsc {

template <class T>
class MatrixAffinity final : public Affinity<T> {
 public:
  /// `matrix` is square, symmetric (to 1e-5 of its largest entry), finite and not negative; else InvalidInput.
  MatrixAffinity(const Points& matrix, const RowSpace& rows);

  void multiply_columns(std::span<const int64_t> columns, MatrixView<const T> C, MatrixView<T> out,
                        const StopToken& stop) const override;
  void multiply(MatrixView<const T> V, MatrixView<T> out, const StopToken& stop) const override;
  void evaluate(Range rows, std::span<const int64_t> columns, MatrixView<T> out) const override;
  void evaluate_square(std::span<const int64_t> points, MatrixView<T> out) const override;
  Degrees degrees(const StopToken& stop, const std::function<void(double)>& progress = {},
                  int64_t neighbours = 0) const override;
  /// The mean of the given diagonal where it is positive, else the largest entry: what keeps Nystrom's block
  /// from being far from definite.
  double self_similarity() const override { return self_similarity_; }

 private:
  T entry(int64_t i, int64_t j) const { return i == j ? T{} : T(matrix_.raw(i, j)); }

  Points matrix_;
  double self_similarity_ = 1;
};

}  // namespace mbsc
