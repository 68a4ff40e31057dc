// SPDX-License-Identifier: Apache-2.0
// Rows as they lie to a piece of packed coordinates (tile.h): (x - offset) factor, worked out in double, rounded once,
// and transposed. What a batch of few columns spends much of its time on where there are many features.
#pragma once

#include <cstdint>

namespace mbsc::simd {

/// What becomes of every row: (x_f - offset_f) factor_f, times the row's own `lengths` where these are not null.
struct PackFormula {
  const double *offset, *factor, *lengths;
};

/// piece[f * width + i] = the coordinate f of rows[i], for i < count <= width, which is panel_rows or group_columns.
/// T and Source are float or double.
template <class T, class Source>
void pack_piece(const Source* const* rows, int64_t count, int64_t features, const PackFormula& formula, int64_t width,
                T* piece);

}  // namespace mbsc::simd
