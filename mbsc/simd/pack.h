// SPDX-License-Identifier: Apache-2.0
// Packs rows into a piece of coordinates (Packed in tile.h): computes (x - offset) * factor in double, rounds it once,
// and transposes the rows. If there are many features, a batch of few columns spends much of its time here.
#pragma once

#include <cstdint>

namespace mbsc::simd {

/// The transformation of feature f of row i of a piece: (x_f - offset[f]) * factor[f], and if `lengths` is not null,
/// also times lengths[i].
struct PackFormula {
  const double *offset, *factor, *lengths;
};

/// piece[f * width + i] = the transformed feature f of rows[i], for i < count <= width. The width is panel_rows() or
/// group_columns. T and Source are float or double.
template <class T, class Source>
void pack_piece(const Source* const* rows, int64_t count, int64_t features, const PackFormula& formula, int64_t width,
                T* piece);

}  // namespace mbsc::simd
