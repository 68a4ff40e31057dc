// SPDX-License-Identifier: Apache-2.0
#include "mbsc/simd/gemm.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <limits>

namespace mbsc::simd {
namespace {

template <class T>
using RowMajor = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Compares gemm() with the product in double. `transposed`: A is stored by columns.
template <class Compute, class Source, class Dest>
void expect_product(int64_t rows, int64_t columns, int64_t depth, bool transposed) {
  std::srand(unsigned(rows + 7 * columns + 31 * depth));
  const RowMajor<Source> A = RowMajor<Source>::Random(rows, depth), B = RowMajor<Source>::Random(depth, columns + 3);
  const RowMajor<Source> At = A.transpose();
  RowMajor<Dest> C = RowMajor<Dest>::Random(rows, columns + 2);
  const RowMajor<Dest> before = C;
  const Compute alpha = Compute(-1.5);
  gemm<Compute, Source, Dest>(rows, columns, depth, alpha,
                              transposed ? Strided<Source>{At.data(), 1, rows} : Strided<Source>{A.data(), depth, 1},
                              {B.data(), columns + 3, 1}, C.data(), columns + 2);
  const Eigen::MatrixXd exact = before.template cast<double>().leftCols(columns) +
                                double(alpha) * A.template cast<double>() * B.template cast<double>().leftCols(columns);
  const double terms = 4 + 2 * double(std::min<int64_t>(depth, 256));
  const double bound = double(std::numeric_limits<Compute>::epsilon()) * terms;
  EXPECT_LT((C.template cast<double>().leftCols(columns) - exact).cwiseAbs().maxCoeff(), bound)
      << rows << " x " << columns << " x " << depth;
  EXPECT_EQ(C.rightCols(2), before.rightCols(2)) << "beside the product nothing is touched";
}

TEST(Gemm, EqualsThePlainProductForAnyShapeTypeAndOrder) {
  for (const bool transposed : {false, true})
    for (const auto& [rows, columns, depth] : {std::tuple{1, 1, 1},
                                               {6, 16, 256},
                                               {7, 17, 257},
                                               {5, 3, 600},
                                               {121, 259, 40},
                                               {130, 530, 513},
                                               {300, 2, 300},
                                               {2, 300, 1}}) {
      expect_product<float, float, float>(rows, columns, depth, transposed);
      expect_product<float, float, double>(rows, columns, depth, transposed);
      expect_product<double, float, double>(rows, columns, depth, transposed);
      expect_product<double, double, double>(rows, columns, depth, transposed);
    }
}

TEST(Gemm, HasTheSameBitsInPieces) {
  const RowMajor<float> A = RowMajor<float>::Random(200, 700), B = RowMajor<float>::Random(700, 300);
  RowMajor<double> whole = RowMajor<double>::Zero(200, 300), pieces = whole;
  gemm<float, float, double>(200, 300, 700, 1, {A.data(), 700, 1}, {B.data(), 300, 1}, whole.data(), 300);
  for (int64_t i = 0; i < 200; i += 37)
    for (int64_t j = 0; j < 300; j += 71)
      gemm<float, float, double>(std::min<int64_t>(37, 200 - i), std::min<int64_t>(71, 300 - j), 700, 1,
                                 {A.data() + i * 700, 700, 1}, {B.data() + j, 300, 1}, pieces.data() + i * 300 + j,
                                 300);
  EXPECT_EQ(whole, pieces);
}

}  // namespace
}  // namespace mbsc::simd
