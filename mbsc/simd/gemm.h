// SPDX-License-Identifier: Apache-2.0
// C += alpha A B for matrices that are too large to leave to a compiler's baseline: what tall-skinny algebra and
// Nystrom's square matrices spend their time on. One thread; callers divide C among theirs.
//
// The usual blocking (Goto, van de Geijn, 2008): 256 products deep, B in panels of two vectors that stay in the
// first cache, A in panels of six rows, 12 accumulators. Sums of 256 products are made in the compute type and then
// added to C, so that float products may be added up in double. The order of every sum depends on the depth alone:
// a C computed in pieces has the same bits.
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
