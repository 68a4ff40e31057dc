// SPDX-License-Identifier: Apache-2.0
// C += alpha A B for matrices that need more than the compiler's baseline code. The algebra of tall-skinny matrices and
// the square matrices of Nystrom spend most of their time here. It runs on one thread; callers divide C among threads.
//
// The usual blocking (Goto, van de Geijn, 2008): 256 products deep, B in panels of two vectors that stay in the
// first-level cache, A in panels of six rows, 12 accumulators. Each sum of 256 products is computed in the compute type
// and then added to C, so products in float can be accumulated in double. The order of every sum depends only on the
// depth: a C computed in pieces has the same bits.
#pragma once

#include <cstdint>

namespace mbsc::simd {

/// Element (i, j) is data[i * row_stride + j * column_stride].
template <class T>
struct Strided {
  const T* data;
  int64_t row_stride, column_stride;
  Strided from(int64_t row, int64_t column) const {
    return {data + row * row_stride + column * column_stride, row_stride, column_stride};
  }
};

/// C: rows x columns, row-major with `stride`; A: rows x depth; B: depth x columns.
/// Compute is float or double, Source no wider, Dest no narrower.
template <class Compute, class Source, class Dest>
void gemm(int64_t rows, int64_t columns, int64_t depth, Compute alpha, Strided<Source> A, Strided<Source> B, Dest* C,
          int64_t stride);

}  // namespace mbsc::simd
