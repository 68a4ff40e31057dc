// SPDX-License-Identifier: Apache-2.0
#include "mbsc/affinity/pass/packing.h"

#include <algorithm>
#include <cmath>

#include "mbsc/simd/pack.h"

namespace mbsc {
namespace {

/// 1 / length of a row; 0 for a zero row, so that its cosine with every row is zero.
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
    for (int64_t i = 0; i < rows; ++i) from[size_t(i)] = data + row_of(first + i) * points.row_stride;
    if (rule.unit_length)
      for (int64_t i = 0; i < rows; ++i) lengths[size_t(i)] = inverse_length(from[size_t(i)], stride, rule);
    T* piece = &out.at(first, 0);
    if constexpr (contiguous) {
      simd::pack_piece<T, Source>(from.data(), rows, d, formula, out.width, piece);
    } else {
      for (int64_t i = 0; i < rows; ++i)
        for (int64_t f = 0; f < d; ++f)
          piece[f * out.width + i] =
              T((double(from[size_t(i)][f * stride]) - rule.offset[f]) * rule.factor[f] * lengths[size_t(i)]);
    }
    // The norms of a few pieces are computed together while these pieces are in cache.
    const int64_t number = first / out.width, begin = number / simd::norms_together * simd::norms_together;
    if ((number + 1) % simd::norms_together == 0 || number + 1 == out.pieces())
      out.compute_norms(begin, number + 1 - begin);
  }
}

template <class T, class RowOf>
void pack(const Points& points, const PackingRule& rule, int64_t count, const RowOf& row_of, int64_t width,
          simd::Packed<T>& out) {
  out.resize(count, points.features, width);
  out.doubled = rule.expanded && width == simd::group_columns;
  const bool contiguous = points.feature_stride == 1;
  if (points.type == ScalarType::float32)
    contiguous ? pack_typed<T, float, true>(points, rule, row_of, out)
               : pack_typed<T, float, false>(points, rule, row_of, out);
  else
    contiguous ? pack_typed<T, double, true>(points, rule, row_of, out)
               : pack_typed<T, double, false>(points, rule, row_of, out);
}

}  // namespace

template <class T>
void pack_points(const Points& points, const PackingRule& rule, Range rows, int64_t width, simd::Packed<T>& out) {
  const auto row_of = [&](int64_t i) { return rows.begin + i; };
  pack(points, rule, rows.size(), row_of, width, out);
}

template <class T>
void pack_points(const Points& points, const PackingRule& rule, std::span<const int64_t> rows, int64_t width,
                 simd::Packed<T>& out) {
  const auto row_of = [&](int64_t i) { return rows[size_t(i)]; };
  pack(points, rule, std::ssize(rows), row_of, width, out);
}

template <class T>
void pack_right_hand_sides(MatrixView<const T> rows, int64_t width, AlignedVector<T>& out) {
  const int64_t pieces = (rows.rows + width - 1) / width;
  out.assign(size_t(pieces * rows.cols * width), T{});
  for (int64_t i = 0; i < rows.rows; ++i)
    for (int64_t c = 0; c < rows.cols; ++c) out[size_t(((i / width) * rows.cols + c) * width + i % width)] = rows(i, c);
}

template <class T, class Out>
void add_panels(const AlignedVector<T>& panels, int64_t width, MatrixView<Out> out) {
  for (int64_t i = 0; i < out.rows; ++i)
    for (int64_t c = 0; c < out.cols; ++c)
      out(i, c) += Out(panels[size_t(((i / width) * out.cols + c) * width + i % width)]);
}

template <class T>
int64_t rows_in_cache(int64_t features) {
  const int64_t rows = 65536 / (int64_t(sizeof(T)) * features);
  return std::max<int64_t>(64, rows / 64 * 64);
}

#define MBSC_INSTANTIATE(T)                                                                                          \
  template void pack_points(const Points&, const PackingRule&, Range, int64_t, simd::Packed<T>&);                    \
  template void pack_points(const Points&, const PackingRule&, std::span<const int64_t>, int64_t, simd::Packed<T>&); \
  template void pack_right_hand_sides(MatrixView<const T>, int64_t, AlignedVector<T>&);                              \
  template int64_t rows_in_cache<T>(int64_t);
MBSC_INSTANTIATE(float)
MBSC_INSTANTIATE(double)  // kernel_product() of the Python package needs it in every build
#undef MBSC_INSTANTIATE
template void add_panels(const AlignedVector<float>&, int64_t, MatrixView<float>);
template void add_panels(const AlignedVector<float>&, int64_t, MatrixView<double>);
template void add_panels(const AlignedVector<double>&, int64_t, MatrixView<double>);

}  // namespace mbsc
