// SPDX-License-Identifier: Apache-2.0
// make_tile(): fills a simd::Tile for the tasks multiply, degrees and evaluate. Symmetric passes, batches of columns,
// small blocks and products between two sets of points all use it.
#pragma once

#include <cstdint>

#include "mbsc/base/aligned.h"
#include "mbsc/input.h"
#include "mbsc/simd/tile.h"

namespace mbsc {

/// How a tile computes a kernel value (simd/tile.h).
template <class T>
struct TileForm {
  simd::Form form = simd::Form::cosine;
  bool direct = false;  ///< distances are sums of squared differences, not the expanded form
  T gain = 1;
};

/// The rows of a tile.
template <class T>
struct TileRows {
  const simd::Packed<T>* points = nullptr;
  int64_t first_index = 0;  ///< the index of the first row; see TileColumns::indices
  const T* rhs = nullptr;   ///< packed right-hand sides of the transposed product; null: no transposed product
  T* out = nullptr;         ///< the product is added to these sums
};

/// The columns of a tile.
template <class T>
struct TileColumns {
  const simd::Packed<T>* points = nullptr;
  const int64_t* indices = nullptr;  ///< a value is zero if its row and its column have the same index; null: no zeros
  const T* rhs = nullptr;            ///< packed right-hand sides of the product
  T* out = nullptr;                  ///< the transposed product is added to these sums
};

namespace detail {

template <class T>
simd::Tile<T> make_tile(const TileForm<T>& form, const TileRows<T>& rows, const TileColumns<T>& columns,
                        AlignedVector<T>& scratch) {
  simd::Tile<T> tile;
  tile.form = form.form;
  tile.direct = form.direct;
  tile.gain = form.gain;
  tile.rows = rows.points;
  tile.row_index = rows.first_index;
  tile.row_rhs = rows.rhs;
  tile.row_out = rows.out;
  tile.columns = columns.points;
  tile.column_index = columns.indices;
  tile.column_rhs = columns.rhs;
  tile.column_out = columns.out;
  tile.scratch = &scratch;
  return tile;
}

}  // namespace detail

/// A tile for the tasks multiply and degrees. For degrees there is one right-hand side, a column of ones. `scratch` is
/// working memory of the calling thread.
template <class T>
simd::Tile<T> make_tile(const TileForm<T>& form, const TileRows<T>& rows, const TileColumns<T>& columns,
                        int64_t right_hand_sides, AlignedVector<T>& scratch) {
  simd::Tile<T> tile = detail::make_tile(form, rows, columns, scratch);
  tile.right_hand_sides = right_hand_sides;
  return tile;
}

/// A tile for the task evaluate, which writes the values of the tile to `values`.
template <class T>
simd::Tile<T> make_tile(const TileForm<T>& form, const TileRows<T>& rows, const TileColumns<T>& columns,
                        MatrixView<T> values, AlignedVector<T>& scratch) {
  simd::Tile<T> tile = detail::make_tile(form, rows, columns, scratch);
  tile.values = values.data;
  tile.values_stride = values.stride;
  return tile;
}

}  // namespace mbsc
