// SPDX-License-Identifier: Apache-2.0
// Packs rows into a piece of coordinates (tile.h): (x - offset) factor, computed in double, rounded once, and
// transposed. With many features, a batch of few columns spends much of its time here.
#pragma once

#include <cstdint>

namespace mbsc::simd {

/// The transformation of every row: (x_f - offset_f) factor_f, times the entry of the row in `lengths` if not null.
struct PackFormula {
  const double *offset, *factor, *lengths;
};

/// piece[f * width + i] = coordinate f of rows[i], for i < count <= width. The width is panel_rows or group_columns.
/// T and Source are float or double.
template <class T, class Source>
void pack_piece(const Source* const* rows, int64_t count, int64_t features, const PackFormula& formula, int64_t width,
                T* piece);

}  // namespace mbsc::simd
