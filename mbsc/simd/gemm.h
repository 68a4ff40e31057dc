// SPDX-License-Identifier: Apache-2.0
// C += alpha A B with the vector instructions of the machine, not only those of the compiler's baseline. Operations on
// tall-skinny matrices and on the square matrices of Nystrom spend most of their time here. The product runs on one
// thread; callers divide C among threads.
//
// The blocking is the usual one (Goto, van de Geijn, 2008): sums of 256 products, panels of two vectors of columns of B
// that stay in the first-level cache, panels of six rows of A, 12 accumulators. Each sum of 256 products is computed in
// the compute type and then added to C, so products in float can be accumulated in double. The order of every sum
// depends only on the depth, so a C that is computed in parts has the same bits.
#pragma once

#include <cstdint>

namespace mbsc::simd {

/// A matrix with element (i, j) at data[i * row_stride + j * column_stride].
template <class T>
struct Strided {
  const T* data;
  int64_t row_stride, column_stride;
  Strided from(int64_t row, int64_t column) const {
    return {data + row * row_stride + column * column_stride, row_stride, column_stride};
  }
};

/// C += alpha A B. C is rows x columns, row-major with `stride`; A is rows x depth; B is depth x columns.
/// Compute is float or double. Source is not wider than Compute, and Dest is not narrower.
template <class Compute, class Source, class Dest>
void gemm(int64_t rows, int64_t columns, int64_t depth, Compute alpha, Strided<Source> A, Strided<Source> B, Dest* C,
          int64_t stride);

}  // namespace mbsc::simd
