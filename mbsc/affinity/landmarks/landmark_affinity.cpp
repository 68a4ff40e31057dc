// SPDX-License-Identifier: Apache-2.0
#include "mbsc/affinity/landmarks/landmark_affinity.h"

#include "mbsc/simd/level.h"
#include "mbsc/simd/sparse.h"

namespace mbsc {

void LandmarkAffinity::multiply(MatrixView<const float> V, MatrixView<float> out, const StopToken& stop) const {
  throw_if_stopped(stop);
  spread_to_points(rows(), factor_, mean_at_landmarks(rows(), factor_, V), out);
  count_kernel_values(2 * int64_t(factor_.columns.size()));
}

void LandmarkAffinity::multiply_columns(std::span<const int64_t> columns, MatrixView<const float> C,
                                        MatrixView<float> out, const StopToken& stop) const {
  throw_if_stopped(stop);
  const int64_t K = factor_.each;
  Matrix<double> sums(factor_.size(), C.cols);
  const FactorRows given = gather_factor_rows(rows(), factor_, columns);
  for (size_t j = 0; j < columns.size(); ++j)
    for (int64_t e = int64_t(j) * K; e < int64_t(j + 1) * K; ++e) {
      const int32_t r = given.columns[size_t(e)];
      const double weight = given.weights[size_t(e)], degree = factor_.degrees[size_t(r)];
      for (int64_t c = 0; c < C.cols && weight > 0; ++c) sums(r, c) += weight / degree * double(C(int64_t(j), c));
    }
  Matrix<float> T(sums.rows(), sums.cols());
  std::copy_n(sums.data(), sums.size(), T.data());
  spread_to_points(rows(), factor_, T, out);
  count_kernel_values(int64_t(factor_.columns.size()));
}

/// Some columns of A: B times these columns of Dr^-1 B'.
class LandmarkAffinity::Block final : public ColumnBlock<float> {
 public:
  Block(const RowSpace& space, const LandmarkFactor& factor, std::span<const int64_t> columns)
      : ColumnBlock<float>(columns), factor_(factor), scaled_(factor.size(), int64_t(columns.size())) {
    simd::choose_level();
    const int64_t K = factor.each;
    const FactorRows given = gather_factor_rows(space, factor, columns);
    for (size_t j = 0; j < columns.size(); ++j)
      for (int64_t e = int64_t(j) * K; e < int64_t(j + 1) * K; ++e) {
        const int32_t r = given.columns[size_t(e)];
        const double weight = given.weights[size_t(e)];
        if (weight > 0) scaled_(r, int64_t(j)) = float(weight / factor.degrees[size_t(r)]);
      }
  }

  void evaluate(Range rows, MatrixView<float> out) const override {
    const int64_t K = factor_.each;
    for (int64_t i = 0; i < rows.size(); ++i) {
      const int64_t first = (rows.begin + i) * K;
      simd::sparse_row(factor_.weights.data() + first, factor_.columns.data() + first, K, scaled_.data(),
                       scaled_.cols(), scaled_.cols(), out.row(i));
    }
  }

 private:
  const LandmarkFactor& factor_;
  Matrix<float> scaled_;  ///< p x columns: Dr^-1 B' at these columns
};

std::unique_ptr<const ColumnBlock<float>> LandmarkAffinity::take_columns(std::span<const int64_t> columns) const {
  return std::make_unique<Block>(rows(), factor_, columns);
}

Degrees LandmarkAffinity::degrees(const StopToken& stop, const std::function<void(double)>&, int64_t) const {
  throw_if_stopped(stop);
  Degrees degrees;
  degrees.sum.resize(size_t(rows().local_rows()));
  const int64_t K = factor_.each;
  rows().for_each_block([&](int64_t, Range range) {
    for (int64_t i = range.begin; i < range.end; ++i)
      for (int64_t e = i * K; e < (i + 1) * K; ++e) degrees.sum[size_t(i)] += double(factor_.weights[size_t(e)]);
  });
  count_kernel_values(int64_t(factor_.columns.size()));
  return degrees;
}

}  // namespace mbsc
