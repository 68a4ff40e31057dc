// SPDX-License-Identifier: Apache-2.0
// From rows as they lie to the layout of the tile, and back.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "mbsc/base/points.h"
#include "mbsc/simd/pack.h"
#include "mbsc/simd/tile.h"

namespace mbsc {

/// How a coordinate becomes a tile coordinate: (raw - offset) * factor per feature, then, for cosine, divided by
/// the length of the row. Worked out in double, rounded once.
struct PackingRule {
  std::vector<double> offset;
  std::vector<double> factor;
  bool unit_length = false;
  bool expanded = false;  ///< distances are, and columns are packed for that
};

namespace detail {

/// 1 / length of a row, 0 for the zero row, which is similar to nothing.
template <class Source>
double inverse_length(const Source* x, int64_t stride, const PackingRule& rule) {
  double sum = 0;
  for (size_t f = 0; f < rule.offset.size(); ++f) {
    const double v = (double(x[int64_t(f) * stride]) - rule.offset[f]) * rule.factor[f];
    sum += v * v;
  }
  return sum > 0 ? 1 / std::sqrt(sum) : 0;
}

template <class T, class Source, bool contiguous, class RowOf>
void pack_typed(const Points& points, const PackingRule& rule, const RowOf& row_of, simd::Packed<T>& out) {
  const Source* data = static_cast<const Source*>(points.data);
  const int64_t d = points.features, stride = contiguous ? 1 : points.feature_stride;
  std::vector<double> lengths(size_t(out.width), 1.0);
  std::vector<const Source*> from(size_t(out.width));
  const simd::PackFormula formula{rule.offset.data(), rule.factor.data(), rule.unit_length ? lengths.data() : nullptr};
  for (int64_t first = 0; first < out.count; first += out.width) {
    const int64_t rows = std::min(out.width, out.count - first);
    T* piece = &out.at(first, 0);
    if (rule.unit_length)
      for (int64_t i = 0; i < rows; ++i)
        lengths[size_t(i)] = inverse_length(data + row_of(first + i) * points.row_stride, stride, rule);
    if constexpr (contiguous) {
      for (int64_t i = 0; i < rows; ++i) from[size_t(i)] = data + row_of(first + i) * points.row_stride;
      simd::pack_piece<T, Source>(from.data(), rows, d, formula, out.width, piece);
    } else {
      for (int64_t i = 0; i < rows; ++i) {
        const Source* x = data + row_of(first + i) * points.row_stride;
        for (int64_t f = 0; f < d; ++f)
          piece[f * out.width + i] =
              T((double(x[f * stride]) - rule.offset[f]) * rule.factor[f] * lengths[size_t(i)]);
      }
    }
    // While these pieces are in cache.
    const int64_t piece_number = first / out.width, before = piece_number / simd::norms_together * simd::norms_together;
    if ((piece_number + 1) % simd::norms_together == 0 || piece_number + 1 == out.pieces())
      out.compute_norms(before, piece_number + 1 - before);
  }
}

}  // namespace detail

/// Packs the points row_of(0), ..., row_of(count - 1), local row numbers, in pieces of `width`.
template <class T, class RowOf>
void pack_points(const Points& points, const PackingRule& rule, int64_t count, const RowOf& row_of, int64_t width,
                 simd::Packed<T>& out) {
  out.resize(count, points.features, width);
  out.doubled = rule.expanded && width == simd::group_columns;
  const bool contiguous = points.feature_stride == 1;
  if (points.type == ScalarType::float32)
    contiguous ? detail::pack_typed<T, float, true>(points, rule, row_of, out)
               : detail::pack_typed<T, float, false>(points, rule, row_of, out);
  else
    contiguous ? detail::pack_typed<T, double, true>(points, rule, row_of, out)
               : detail::pack_typed<T, double, false>(points, rule, row_of, out);
}

/// Rows that are packed at a time where only columns are shared: what leaves room for these in the second-level cache.
template <class T>
int64_t rows_in_cache(int64_t features) {
  const int64_t rows = 65536 / (int64_t(sizeof(T)) * features);
  return std::max<int64_t>(64, rows / 64 * 64);
}

/// Right-hand sides as [piece][column][width], zero in the padding.
template <class T>
void pack_right_hand_sides(MatrixView<const T> rows, int64_t width, AlignedVector<T>& out) {
  const int64_t pieces = (rows.rows + width - 1) / width;
  out.assign(size_t(pieces * rows.cols * width), T{});
  for (int64_t i = 0; i < rows.rows; ++i)
    for (int64_t c = 0; c < rows.cols; ++c) out[size_t(((i / width) * rows.cols + c) * width + i % width)] = rows(i, c);
}

/// out += what a tile left in [panel][column][width].
template <class T, class Out>
void add_panels(const AlignedVector<T>& panels, int64_t width, MatrixView<Out> out) {
  for (int64_t i = 0; i < out.rows; ++i)
    for (int64_t c = 0; c < out.cols; ++c)
      out(i, c) += Out(panels[size_t(((i / width) * out.cols + c) * width + i % width)]);
}

}  // namespace mbsc
