// SPDX-License-Identifier: Apache-2.0
// From rows as they lie to the layout of the tile, and back.
#pragma once

#include <cmath>
#include <vector>

#include "mbsc/base/points.h"
#include "mbsc/simd/tile.h"

namespace mbsc {

/// How a coordinate becomes a tile coordinate: (raw - offset) * factor per feature, then, for cosine, divided by
/// the length of the row. Worked out in double, rounded once.
struct PackingRule {
  std::vector<double> offset;
  std::vector<double> factor;
  bool unit_length = false;
};

namespace detail {

template <class T, class Source, class RowOf>
void pack_typed(const Points& points, const PackingRule& rule, const RowOf& row_of, simd::Packed<T>& out) {
  const Source* data = static_cast<const Source*>(points.data);
  const int64_t d = points.features;
  for (int64_t i = 0; i < out.count; ++i) {
    const Source* x = data + row_of(i) * points.row_stride;
    T* to = &out.at(i, 0);
    double length = 1;
    if (rule.unit_length) {
      double sum = 0;
      for (int64_t f = 0; f < d; ++f) {
        const double v = (double(x[f * points.feature_stride]) - rule.offset[f]) * rule.factor[f];
        sum += v * v;
      }
      length = sum > 0 ? 1 / std::sqrt(sum) : 0;  // the zero row is similar to nothing
    }
    for (int64_t f = 0; f < d; ++f)
      to[f * out.width] = T((double(x[f * points.feature_stride]) - rule.offset[f]) * rule.factor[f] * length);
  }
}

}  // namespace detail

/// Packs the points row_of(0), ..., row_of(count - 1), local row numbers, in pieces of `width`.
template <class T, class RowOf>
void pack_points(const Points& points, const PackingRule& rule, int64_t count, const RowOf& row_of, int64_t width,
                 simd::Packed<T>& out) {
  out.resize(count, points.features, width);
  if (points.type == ScalarType::float32)
    detail::pack_typed<T, float>(points, rule, row_of, out);
  else
    detail::pack_typed<T, double>(points, rule, row_of, out);
  out.compute_norms();
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
