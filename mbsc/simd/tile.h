// SPDX-License-Identifier: Apache-2.0
// The hot loop: one tile of kernel values, from coordinates to its share of a product, without ever existing.
//
// For rows i and columns j of the tile
//     expanded     t_ij = |x_i|^2 + |y_j|^2 - 2 x_i.y_j, clamped at 0; columns carry the -2
//     direct       t_ij = sum_f (x_if - y_jf)^2            where the expanded form would cancel
//     gaussian     a_ij = 2^-(gain t_ij)
//     exponential  a_ij = 2^-(gain sqrt(t_ij))
//     cosine       a_ij = max(0, x_i.y_j)                  rows are packed with length one
// (gain is gamma log2 e for direct distances; for expanded ones the coordinates carry its root and it is not applied)
// and at once, while a_ij is in cache,
//     multiply     row_out_i += sum_j a_ij column_rhs_j    and, when asked, column_out_j += sum_i a_ij row_rhs_i
//     degrees      the same with one right-hand side, and the sums of a_ij^2 beside those of a_ij
//     evaluate     values_ij = a_ij
//
// Kept values are the bits of a float in [0, 1] without the sign, the highest bit of the exponent (which a value below
// 2 has not) and the 14 lowest of the fraction, rounded: off by 2^-10 of themselves at most, over the whole range.
//
// Written once with Highway and dispatched at run time; MBSC_SIMD=AVX2 (or SSE4, SSE2, AVX3, ...) forces a level.
// Layout: rows in panels of panel_rows() (two vectors), columns in groups of 6, so that 12 accumulators,
// two row vectors and a broadcast fill the 16 vector registers of AVX2. A block of values, a few panels against a few
// groups, is worked out in cache and used there. Cost per value: d + r fused multiply-adds and about 14 operations for
// the exponential. a_ij = a_ji to the bit, whichever side i is on: both orders
// run the same operations on commuted operands, and padding goes through the same arithmetic.
#pragma once

#include <cstddef>
#include <cstdint>

#include "mbsc/base/aligned.h"

namespace mbsc::simd {

enum class Form { gaussian, exponential, cosine };
enum class Task { multiply, degrees, evaluate };

inline constexpr int group_columns = 6;
/// Numbers behind the last of packed coordinates that may be read, and are not used.
inline constexpr int packed_room = 8;
/// Pieces whose norms are best computed together: each is a chain of sums that wait for one another.
inline constexpr int64_t norms_together = 4;
/// Rows of a panel at the level in use, for float and double.
template <class T>
int panel_rows();
/// The name of the level in use: "AVX2", ...
const char* level_name();

/// Coordinates packed for the tile: [panel][feature][panel_rows] or [group][feature][group_columns], padded
/// with zeros, and the squared norms in the arithmetic of the tile.
template <class T>
struct Packed {
  int64_t count = 0;     ///< points
  int64_t features = 0;  ///< d
  int64_t width = 0;     ///< panel_rows or group_columns
  /// Columns of expanded distances only: the values are -2 times the coordinates once the norms are known.
  bool doubled = false;
  AlignedVector<T> values;
  AlignedVector<T> norms;
  int64_t pieces() const { return (count + width - 1) / width; }
  void resize(int64_t count_, int64_t features_, int64_t width_);
  T& at(int64_t i, int64_t f) { return values[static_cast<size_t>(((i / width) * features + f) * width + i % width)]; }
  /// Fills the norms of some pieces, and doubles their values where they are to be; call once their coordinates are in
  /// place.
  void compute_norms(int64_t first_piece, int64_t some);
};

template <class T>
struct Tile {
  Form form = Form::gaussian;
  bool direct = false;
  T gain = 1;
  const Packed<T>* rows = nullptr;
  const Packed<T>* columns = nullptr;
  /// a_ii = 0: value (i, j) is zero where row_index + i == column_index[j]; null = nowhere.
  const int64_t* column_index = nullptr;
  int64_t row_index = 0;
  int64_t right_hand_sides = 0;  ///< r; 1 for degrees
  /// [group][r][group_columns], zero in the padding.
  const T* column_rhs = nullptr;
  /// [panel][r][panel_rows], added to; for degrees [panel][2][panel_rows].
  T* row_out = nullptr;
  /// The transposed product; null = not wanted. [panel][r][panel_rows], zero in the padding.
  const T* row_rhs = nullptr;
  /// [column][r], added to; for degrees [column][2]. Room for whole groups.
  T* column_out = nullptr;
  /// For evaluate: row-major rows x columns, `values_stride` apart; no padding needed.
  T* values = nullptr;
  int64_t values_stride = 0;
  /// For degrees, null = not wanted: offer(context, i, j, a_ij) hears of the values that are above the smaller of the
  /// thresholds of row i (infinity in the padding) and of column j. It may raise thresholds.
  void (*offer)(void* context, int64_t row, int64_t column, T value) = nullptr;
  void* offer_context = nullptr;
  const T* row_least = nullptr;
  const T* column_least = nullptr;
  /// For degrees, null = not wanted: the values in 16 bits as well, [block][panel][column][panel_rows] as they come;
  /// room for whole panels and groups. Float only.
  uint16_t* keep = nullptr;
  /// For multiply, null = none: such values, taken instead of evaluated; of rows and columns only the number counts.
  const uint16_t* kept = nullptr;
  /// Working memory of the calling thread.
  AlignedVector<T>* scratch = nullptr;
};

void run(Task task, const Tile<float>& tile);
void run(Task task, const Tile<double>& tile);

}  // namespace mbsc::simd
