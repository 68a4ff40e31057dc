// SPDX-License-Identifier: Apache-2.0
// The matrix product, compiled once for each SIMD level (see gemm.h).
// clang-format off
#if defined(MBSC_SIMD_GEMM_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MBSC_SIMD_GEMM_INL_H_
#undef MBSC_SIMD_GEMM_INL_H_
#else
#define MBSC_SIMD_GEMM_INL_H_
#endif
// clang-format on

#include <hwy/highway.h>

#include <algorithm>
#include <type_traits>

#include "mbsc/base/aligned.h"
#include "mbsc/simd/gemm.h"

HWY_BEFORE_NAMESPACE();
namespace mbsc::simd {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr int64_t kPanelRows = 6;           ///< rows of a panel of A
constexpr int64_t kDepth = 256;             ///< products per sum
constexpr int64_t kRows = 20 * kPanelRows;  ///< rows of A that are packed at a time

/// Packs a count x depth matrix as [panel][k][width]. Its element (i, k) is data[i * along + k * across]. The last
/// panel is padded with zeros.
template <class Compute, class Source>
HWY_INLINE void pack(const Source* HWY_RESTRICT data, int64_t along, int64_t across, int64_t count, int64_t depth,
                     int64_t width, Compute* HWY_RESTRICT out) {
  for (int64_t first = 0; first < count; first += width) {
    const int64_t here = std::min(width, count - first);
    const Source* HWY_RESTRICT from = data + first * along;
    if (here == width && along == 1) {
      for (int64_t k = 0; k < depth; ++k, out += width)
        for (int64_t i = 0; i < width; ++i) out[i] = Compute(from[k * across + i]);
    } else {
      for (int64_t i = 0; i < here; ++i)
        for (int64_t k = 0; k < depth; ++k) out[k * width + i] = Compute(from[i * along + k * across]);
      for (int64_t i = here; i < width; ++i)
        for (int64_t k = 0; k < depth; ++k) out[k * width + i] = Compute{};
      out += depth * width;
    }
  }
}

/// Computes the products of six rows of A and two vectors of columns of B, and stores them in `sums` (6 x 2 vectors).
/// Element (i, k) of the rows is a[i * row_stride + k * depth_stride]; the rows may be packed or in place.
template <class Compute>
HWY_INLINE void multiply_panels(const Compute* HWY_RESTRICT a, int64_t row_stride, int64_t depth_stride,
                                const Compute* HWY_RESTRICT b, int64_t depth, Compute* HWY_RESTRICT sums) {
  const hn::ScalableTag<Compute> tag;
  using V = hn::Vec<decltype(tag)>;
  const size_t lanes = hn::Lanes(tag);
  V c00 = hn::Zero(tag), c01 = c00, c10 = c00, c11 = c00, c20 = c00, c21 = c00;
  V c30 = c00, c31 = c00, c40 = c00, c41 = c00, c50 = c00, c51 = c00;
#define MBSC_ROWS MBSC_ROW(0) MBSC_ROW(1) MBSC_ROW(2) MBSC_ROW(3) MBSC_ROW(4) MBSC_ROW(5)
  for (int64_t k = 0; k < depth; ++k) {
    const V b0 = hn::Load(tag, b), b1 = hn::Load(tag, b + lanes);
    b += 2 * lanes;
#define MBSC_ROW(i)                                  \
  {                                                  \
    const V value = hn::Set(tag, a[i * row_stride]); \
    c##i##0 = hn::MulAdd(value, b0, c##i##0);        \
    c##i##1 = hn::MulAdd(value, b1, c##i##1);        \
  }
    MBSC_ROWS
#undef MBSC_ROW
    a += depth_stride;
  }
#define MBSC_ROW(i)                              \
  hn::Store(c##i##0, tag, sums + 2 * i * lanes); \
  hn::Store(c##i##1, tag, sums + (2 * i + 1) * lanes);
  MBSC_ROWS
#undef MBSC_ROW
#undef MBSC_ROWS
}

/// C += alpha sums, for the first `height` rows and `wide` columns of one panel. The rows of `sums` are `width` apart.
template <class Compute, class Dest>
HWY_INLINE void add_sums(const Compute* HWY_RESTRICT sums, Compute alpha, int64_t height, int64_t wide, int64_t width,
                         Dest* C, int64_t stride) {
  for (int64_t r = 0; r < height; ++r) {
    Dest* HWY_RESTRICT out = C + r * stride;
    const Compute* HWY_RESTRICT from = sums + r * width;
    if (wide == width) {
      for (int64_t c = 0; c < width; ++c) out[c] += Dest(alpha * from[c]);
    } else {
      for (int64_t c = 0; c < wide; ++c) out[c] += Dest(alpha * from[c]);
    }
  }
}

constexpr int64_t kFewColumns = 64;

/// For few columns: packs all of B but reads A in place, because packing A would take longer than the product. Only an
/// incomplete last panel of A is packed.
template <class Compute, class Dest>
void run_few_columns(int64_t rows, int64_t columns, int64_t depth, Compute alpha, Strided<Compute> A,
                     Strided<Compute> B, Dest* C, int64_t stride) {
  const hn::ScalableTag<Compute> tag;
  const int64_t width = 2 * int64_t(hn::Lanes(tag)), packed_columns = (columns + width - 1) / width * width;
  const int64_t piece = std::min(depth, kDepth);
  static thread_local AlignedVector<Compute> memory;
  memory.resize(size_t(kPanelRows * (width + piece) + packed_columns * depth));
  Compute* const sums = memory.data();
  Compute* const b = sums + kPanelRows * width;  // b must be aligned; a need not be
  Compute* const a = b + packed_columns * depth;
  for (int64_t k0 = 0; k0 < depth; k0 += kDepth) {
    const Strided<Compute> from = B.from(k0, 0);
    pack(from.data, from.column_stride, from.row_stride, columns, std::min(kDepth, depth - k0), width,
         b + packed_columns * k0);
  }
  for (int64_t i = 0; i < rows; i += kPanelRows) {
    const int64_t height = std::min(kPanelRows, rows - i);
    for (int64_t k0 = 0; k0 < depth; k0 += kDepth) {
      const int64_t nk = std::min(kDepth, depth - k0);
      const Strided<Compute> from = A.from(i, k0);
      const bool whole = height == kPanelRows;
      if (!whole) pack(from.data, from.row_stride, from.column_stride, height, nk, kPanelRows, a);
      for (int64_t j = 0; j < columns; j += width) {
        const Compute* panel = b + packed_columns * k0 + j * nk;
        if (whole)
          multiply_panels(from.data, from.row_stride, from.column_stride, panel, nk, sums);
        else
          multiply_panels(a, 1, kPanelRows, panel, nk, sums);
        add_sums(sums, alpha, height, std::min(width, columns - j), width, C + i * stride + j, stride);
      }
    }
  }
}

template <class Compute, class Source, class Dest>
void run_gemm(int64_t rows, int64_t columns, int64_t depth, Compute alpha, Strided<Source> A, Strided<Source> B,
              Dest* C, int64_t stride) {
  if constexpr (std::is_same_v<Compute, Source>)
    if (columns <= kFewColumns && rows >= kPanelRows)
      return run_few_columns(rows, columns, depth, alpha, A, B, C, stride);
  const hn::ScalableTag<Compute> tag;
  const int64_t width = 2 * int64_t(hn::Lanes(tag));
  const int64_t most = 262144 / kDepth / int64_t(sizeof(Compute)) / width * width;  // columns of B that fit in 256 KiB
  const int64_t packed_columns = std::min(most, (columns + width - 1) / width * width);
  const int64_t packed_rows = std::min(kRows, (rows + kPanelRows - 1) / kPanelRows * kPanelRows);
  static thread_local AlignedVector<Compute> memory;
  const int64_t piece = std::min(depth, kDepth);
  const size_t sums_size = size_t(kPanelRows * width);
  memory.resize(sums_size + size_t((packed_columns + packed_rows) * piece));
  Compute* const sums = memory.data();
  Compute* const b = sums + sums_size;
  Compute* const a = b + packed_columns * piece;
  for (int64_t j0 = 0; j0 < columns; j0 += most)
    for (int64_t k0 = 0; k0 < depth; k0 += kDepth) {
      const int64_t nj = std::min(most, columns - j0), nk = std::min(kDepth, depth - k0);
      const Strided<Source> b_from = B.from(k0, j0);
      pack(b_from.data, b_from.column_stride, b_from.row_stride, nj, nk, width, b);
      for (int64_t i0 = 0; i0 < rows; i0 += kRows) {
        const int64_t ni = std::min(kRows, rows - i0);
        const Strided<Source> a_from = A.from(i0, k0);
        pack(a_from.data, a_from.row_stride, a_from.column_stride, ni, nk, kPanelRows, a);
        for (int64_t j = 0; j < nj; j += width)
          for (int64_t i = 0; i < ni; i += kPanelRows) {
            multiply_panels(a + i * nk, 1, kPanelRows, b + j * nk, nk, sums);
            add_sums(sums, alpha, std::min(kPanelRows, ni - i), std::min(width, nj - j), width,
                     C + (i0 + i) * stride + j0 + j, stride);
          }
      }
    }
}

#define MBSC_GEMM(name, Compute, Source, Dest)                                                                 \
  void name(int64_t rows, int64_t columns, int64_t depth, Compute alpha, Strided<Source> A, Strided<Source> B, \
            Dest* C, int64_t stride) {                                                                         \
    run_gemm<Compute, Source, Dest>(rows, columns, depth, alpha, A, B, C, stride);                             \
  }
MBSC_GEMM(gemm_float, float, float, float)
MBSC_GEMM(gemm_float_to_double, float, float, double)
MBSC_GEMM(gemm_widened, double, float, double)
MBSC_GEMM(gemm_double, double, double, double)
#undef MBSC_GEMM

}  // namespace HWY_NAMESPACE
}  // namespace mbsc::simd
HWY_AFTER_NAMESPACE();

#endif
