// SPDX-License-Identifier: Apache-2.0
// The tile itself, compiled once for each SIMD level (see tile.h for the formulas and the layout).
// clang-format off
#if defined(MBSC_SIMD_TILE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MBSC_SIMD_TILE_INL_H_
#undef MBSC_SIMD_TILE_INL_H_
#else
#define MBSC_SIMD_TILE_INL_H_
#endif
// clang-format on

#include <hwy/highway.h>

#include <algorithm>
#include <limits>

#include "mbsc/simd/exp2-inl.h"
#include "mbsc/simd/tile.h"

HWY_BEFORE_NAMESPACE();
namespace mbsc::simd {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T>
using Tag = hn::ScalableTag<T>;
template <class T>
using Vector = hn::Vec<Tag<T>>;

constexpr int kColumns = group_columns;

/// 2 x 6 vectors: the values of one panel (two vectors of rows) against one group (six columns).
template <class T>
struct Values {
  Vector<T> v[2][kColumns];
};

/// Inner products, or squared distances by direct differences, of a panel and a group.
template <bool direct, class T>
HWY_INLINE void accumulate_features(const T* HWY_RESTRICT panel, const T* HWY_RESTRICT group, int64_t features,
                                    Values<T>& out) {
  const Tag<T> tag;
  const size_t lanes = hn::Lanes(tag);
  Vector<T> a00 = hn::Zero(tag), a01 = a00, a02 = a00, a03 = a00, a04 = a00, a05 = a00;
  Vector<T> a10 = a00, a11 = a00, a12 = a00, a13 = a00, a14 = a00, a15 = a00;
  for (int64_t f = 0; f < features; ++f) {
    const Vector<T> x0 = hn::Load(tag, panel);
    const Vector<T> x1 = hn::Load(tag, panel + lanes);
    panel += 2 * lanes;
#define MBSC_COLUMN(j)                                          \
  {                                                             \
    const Vector<T> y = hn::Set(tag, group[j]);                 \
    if constexpr (direct) {                                     \
      const Vector<T> u0 = hn::Sub(x0, y), u1 = hn::Sub(x1, y); \
      a0##j = hn::MulAdd(u0, u0, a0##j);                        \
      a1##j = hn::MulAdd(u1, u1, a1##j);                        \
    } else {                                                    \
      a0##j = hn::MulAdd(x0, y, a0##j);                         \
      a1##j = hn::MulAdd(x1, y, a1##j);                         \
    }                                                           \
  }
    MBSC_COLUMN(0)
    MBSC_COLUMN(1)
    MBSC_COLUMN(2)
    MBSC_COLUMN(3) MBSC_COLUMN(4) MBSC_COLUMN(5)
#undef MBSC_COLUMN
        group += kColumns;
  }
  out.v[0][0] = a00, out.v[0][1] = a01, out.v[0][2] = a02, out.v[0][3] = a03, out.v[0][4] = a04, out.v[0][5] = a05;
  out.v[1][0] = a10, out.v[1][1] = a11, out.v[1][2] = a12, out.v[1][3] = a13, out.v[1][4] = a14, out.v[1][5] = a15;
}

/// From inner products (or direct distances) to kernel values.
template <Form form, bool direct, class T>
HWY_INLINE void apply_kernel(const T* HWY_RESTRICT row_norms, const T* HWY_RESTRICT column_norms, T gain,
                             Values<T>& k) {
  const Tag<T> tag;
  const Vector<T> factor = hn::Set(tag, gain);
  const size_t lanes = hn::Lanes(tag);
#pragma GCC unroll 2
  for (int h = 0; h < 2; ++h) {
    const Vector<T> rows = hn::Load(tag, row_norms + h * lanes);
#pragma GCC unroll 6
    for (int j = 0; j < kColumns; ++j) {
      Vector<T> t = k.v[h][j];
      if constexpr (form == Form::cosine) {
        k.v[h][j] = hn::Max(t, hn::Zero(tag));
        continue;
      }
      if constexpr (!direct) {
        const Vector<T> norms = hn::Add(rows, hn::Set(tag, column_norms[j]));
        t = hn::Max(hn::NegMulAdd(hn::Set(tag, T(2)), t, norms), hn::Zero(tag));
      }
      if constexpr (form == Form::exponential) t = hn::Sqrt(t);
      if constexpr (direct) t = hn::Mul(t, factor);
      k.v[h][j] = exp2_of_negative(tag, t);
    }
  }
}

/// Zeroes a_ii where the panel and the group share points.
template <class T>
HWY_NOINLINE void zero_diagonal(const int64_t* column_index, int64_t columns, int64_t first_row, Values<T>& k) {
  const Tag<T> tag;
  const int64_t lanes = int64_t(hn::Lanes(tag));
  for (int64_t j = 0; j < columns; ++j) {
    const int64_t i = column_index[j] - first_row;
    if (i < 0 || i >= 2 * lanes) continue;
    auto& v = k.v[i / lanes][j];
    v = hn::IfThenZeroElse(hn::Eq(hn::Iota(tag, T(0)), hn::Set(tag, T(i % lanes))), v);
  }
}

/// row_out += a column_rhs; the six columns are the inner dimension.
template <class T>
HWY_INLINE void add_to_rows(const Values<T>& k, const T* HWY_RESTRICT rhs, int64_t r, T* HWY_RESTRICT out) {
  const Tag<T> tag;
  const size_t lanes = hn::Lanes(tag);
  for (int64_t c = 0; c < r; ++c) {
    Vector<T> o0 = hn::Load(tag, out), o1 = hn::Load(tag, out + lanes);
#pragma GCC unroll 6
    for (int j = 0; j < kColumns; ++j) {
      const Vector<T> y = hn::Set(tag, rhs[j]);
      o0 = hn::MulAdd(k.v[0][j], y, o0);
      o1 = hn::MulAdd(k.v[1][j], y, o1);
    }
    hn::Store(o0, tag, out);
    hn::Store(o1, tag, out + lanes);
    rhs += kColumns;
    out += 2 * lanes;
  }
}

/// sums[c][j] += a' row_rhs, lane by lane; reduced over the lanes once per group.
template <class T>
HWY_INLINE void add_to_columns(const Values<T>& k, const T* HWY_RESTRICT rhs, int64_t r, T* HWY_RESTRICT sums) {
  const Tag<T> tag;
  const size_t lanes = hn::Lanes(tag);
  for (int64_t c = 0; c < r; ++c) {
    const Vector<T> x0 = hn::Load(tag, rhs), x1 = hn::Load(tag, rhs + lanes);
#pragma GCC unroll 6
    for (int j = 0; j < kColumns; ++j) {
      Vector<T> s = hn::Load(tag, sums + j * lanes);
      s = hn::MulAdd(k.v[1][j], x1, hn::MulAdd(k.v[0][j], x0, s));
      hn::Store(s, tag, sums + j * lanes);
    }
    rhs += 2 * lanes;
    sums += kColumns * lanes;
  }
}

/// Whether a value is above the threshold of its row or that of its column.
template <class T>
HWY_INLINE bool any_above(const Values<T>& k, const T* HWY_RESTRICT row_least, const T* HWY_RESTRICT column_least) {
  const Tag<T> tag;
  const Vector<T> r0 = hn::LoadU(tag, row_least), r1 = hn::LoadU(tag, row_least + hn::Lanes(tag));
  auto above = hn::Gt(k.v[0][0], hn::Min(r0, hn::Set(tag, column_least[0])));
#pragma GCC unroll 6
  for (int j = 0; j < kColumns; ++j) {
    const Vector<T> y = hn::Set(tag, column_least[j]);
    above = hn::Or(above, hn::Or(hn::Gt(k.v[0][j], hn::Min(r0, y)), hn::Gt(k.v[1][j], hn::Min(r1, y))));
  }
  return !hn::AllFalse(tag, above);
}

/// Calls f(i, j, value) for the values of real rows and columns.
template <class T, class Function>
HWY_INLINE void for_each_value(const Values<T>& k, int64_t rows, int64_t columns, const Function& f) {
  const Tag<T> tag;
  const int64_t lanes = int64_t(hn::Lanes(tag));
  HWY_ALIGN T buffer[HWY_MAX_BYTES / sizeof(T)];
  for (int64_t h = 0; h < 2; ++h)
    for (int64_t j = 0; j < columns; ++j) {
      hn::Store(k.v[h][j], tag, buffer);
      for (int64_t i = 0; i < std::min(lanes, rows - h * lanes); ++i) f(h * lanes + i, j, buffer[i]);
    }
}

template <class T>
HWY_NOINLINE void offer_values(const Tile<T>& tile, const Values<T>& k, int64_t row, int64_t rows, int64_t column,
                               int64_t columns) {
  for_each_value(k, rows, columns, [&](int64_t i, int64_t j, T value) {
    if (value > std::min(tile.row_least[row + i], tile.column_least[column + j]))
      tile.offer(tile.offer_context, row + i, column + j, value);
  });
}

template <class T>
HWY_INLINE void square(Values<T>& k) {
#pragma GCC unroll 2
  for (int h = 0; h < 2; ++h)
#pragma GCC unroll 6
    for (int j = 0; j < kColumns; ++j) k.v[h][j] = hn::Mul(k.v[h][j], k.v[h][j]);
}

template <class T>
HWY_NOINLINE void store_values(const Values<T>& k, int64_t rows, int64_t columns, T* out, int64_t stride) {
  for_each_value(k, rows, columns, [&](int64_t i, int64_t j, T value) { out[i * stride + j] = value; });
}

/// Panels whose coordinates stay in the second-level cache while all groups go past them.
inline int64_t panels_in_cache(int64_t bytes_per_panel) {
  return std::clamp<int64_t>(int64_t{192} * 1024 / std::max<int64_t>(1, bytes_per_panel), 1, 16);
}

template <Task task, Form form, bool direct, class T>
void run_tile(const Tile<T>& tile) {
  const Tag<T> tag;
  const int64_t lanes = int64_t(hn::Lanes(tag));
  const int64_t width = 2 * lanes;
  const Packed<T>& rows = *tile.rows;
  const Packed<T>& columns = *tile.columns;
  const int64_t d = rows.features;
  const int64_t r = task == Task::multiply ? tile.right_hand_sides : 1;
  const int64_t outs = task == Task::degrees ? 2 : r;
  const bool transposed = task != Task::evaluate && tile.column_out != nullptr;
  const int64_t chunk = panels_in_cache(d * width * int64_t(sizeof(T)));
  T* sums = nullptr;
  if (transposed) {
    tile.scratch->resize(size_t(outs * kColumns * lanes));
    sums = tile.scratch->data();
  }
  for (int64_t first = 0; first < rows.pieces(); first += chunk) {
    const int64_t last = std::min(rows.pieces(), first + chunk);
    for (int64_t g = 0; g < columns.pieces(); ++g) {
      const T* group = columns.values.data() + g * d * kColumns;
      const int64_t real = std::min<int64_t>(kColumns, columns.count - g * kColumns);
      const int64_t* index = tile.column_index == nullptr ? nullptr : tile.column_index + g * kColumns;
      bool diagonal = false;
      if (index != nullptr)
        for (int64_t j = 0; j < real; ++j)
          diagonal |= uint64_t(index[j] - tile.row_index - first * width) < uint64_t((last - first) * width);
      if (transposed) std::fill_n(sums, outs * kColumns * lanes, T{});
      T least[kColumns];
      if constexpr (task == Task::degrees)
        for (int64_t j = 0; j < kColumns; ++j)
          least[j] = tile.offer != nullptr && j < real ? tile.column_least[g * kColumns + j]
                                                       : std::numeric_limits<T>::infinity();
      for (int64_t p = first; p < last; ++p) {
        Values<T> k;
        accumulate_features<direct>(rows.values.data() + p * d * width, group, d, k);
        apply_kernel<form, direct>(rows.norms.data() + p * width, columns.norms.data() + g * kColumns, tile.gain, k);
        if (HWY_UNLIKELY(diagonal)) zero_diagonal(index, real, tile.row_index + p * width, k);
        if constexpr (task == Task::evaluate) {
          store_values(k, std::min(width, rows.count - p * width), real,
                       tile.values + p * width * tile.values_stride + g * kColumns, tile.values_stride);
        } else {
          add_to_rows(k, tile.column_rhs + g * r * kColumns, r, tile.row_out + p * outs * width);
          if (transposed) add_to_columns(k, tile.row_rhs + p * r * width, r, sums);
          if constexpr (task == Task::degrees) {
            if (tile.offer != nullptr && any_above(k, tile.row_least + p * width, least))
              offer_values(tile, k, p * width, std::min(width, rows.count - p * width), g * kColumns, real);
            square(k);
            add_to_rows(k, tile.column_rhs + g * kColumns, 1, tile.row_out + (p * 2 + 1) * width);
            if (transposed) add_to_columns(k, tile.row_rhs + p * width, 1, sums + kColumns * lanes);
          }
        }
      }
      if (transposed)
        for (int64_t c = 0; c < outs; ++c)
          for (int64_t j = 0; j < kColumns; ++j)
            tile.column_out[(g * kColumns + j) * outs + c] +=
                hn::GetLane(hn::SumOfLanes(tag, hn::Load(tag, sums + (c * kColumns + j) * lanes)));
    }
  }
}

template <Task task, class T>
void run_form(const Tile<T>& tile) {
  switch (tile.form) {
    case Form::gaussian:
      return tile.direct ? run_tile<task, Form::gaussian, true>(tile) : run_tile<task, Form::gaussian, false>(tile);
    case Form::exponential:  // always direct: the root of a cancelled distance is worth nothing
      return run_tile<task, Form::exponential, true>(tile);
    case Form::cosine:
      return run_tile<task, Form::cosine, false>(tile);
  }
}

template <class T>
void run_task(Task task, const Tile<T>& tile) {
  switch (task) {
    case Task::multiply:
      return run_form<Task::multiply>(tile);
    case Task::degrees:
      return run_form<Task::degrees>(tile);
    case Task::evaluate:
      return run_form<Task::evaluate>(tile);
  }
}

/// The same chain of multiply-adds as an inner product of the tile, so that a point's distance to itself is 0.
template <class T>
void norms_of(Packed<T>& points) {
  const Tag<T> tag;
  const size_t lanes = hn::Lanes(tag);
  const int64_t d = points.features;
  for (int64_t p = 0; p < points.pieces(); ++p) {
    const T* x = points.values.data() + p * d * points.width;
    T* norms = points.norms.data() + p * points.width;
    if (points.width == kColumns) {
      Vector<T> sum[kColumns];
      for (int j = 0; j < kColumns; ++j) sum[j] = hn::Zero(tag);
      for (int64_t f = 0; f < d; ++f, x += kColumns)
        for (int j = 0; j < kColumns; ++j) {
          const Vector<T> v = hn::Set(tag, x[j]);
          sum[j] = hn::MulAdd(v, v, sum[j]);
        }
      for (int j = 0; j < kColumns; ++j) norms[j] = hn::GetLane(sum[j]);
    } else {
      Vector<T> low = hn::Zero(tag), high = low;
      for (int64_t f = 0; f < d; ++f, x += 2 * lanes) {
        const Vector<T> v0 = hn::Load(tag, x), v1 = hn::Load(tag, x + lanes);
        low = hn::MulAdd(v0, v0, low);
        high = hn::MulAdd(v1, v1, high);
      }
      hn::Store(low, tag, norms);
      hn::Store(high, tag, norms + lanes);
    }
  }
}

void run_float(Task task, const Tile<float>& tile) { run_task(task, tile); }
void run_double(Task task, const Tile<double>& tile) { run_task(task, tile); }
void norms_float(Packed<float>& points) { norms_of(points); }
void norms_double(Packed<double>& points) { norms_of(points); }
int panel_rows_float() { return 2 * int(hn::Lanes(Tag<float>())); }
int panel_rows_double() { return 2 * int(hn::Lanes(Tag<double>())); }
int64_t current_level() { return HWY_TARGET; }

}  // namespace HWY_NAMESPACE
}  // namespace mbsc::simd
HWY_AFTER_NAMESPACE();

#endif  // include guard
