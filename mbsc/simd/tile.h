// SPDX-License-Identifier: Apache-2.0
// The hot loop: computes one tile of kernel values from coordinates and uses them at once. The tile is never stored.
//
// For rows i and columns j of the tile
//     expanded     t_ij = |x_i|^2 + |y_j|^2 - 2 x_i.y_j, clamped at 0; the columns are stored times -2
//     direct       t_ij = sum_f (x_if - y_jf)^2            if the expanded form would cancel
//     gaussian     a_ij = 2^-(gain t_ij)
//     exponential  a_ij = 2^-(gain sqrt(t_ij))
//     cosine       a_ij = max(0, x_i.y_j)                  rows are packed with length one
//     distance     a_ij = -t_ij, not clamped               expanded; for searches of near points
// (gain is gamma log2 e for direct distances; for expanded ones the coordinates contain its root and it is not applied)
// and then, while a_ij is in cache,
//     multiply     row_out_i += sum_j a_ij column_rhs_j    and, if requested, column_out_j += sum_i a_ij row_rhs_i
//     degrees      the same with one right-hand side, and the sums of a_ij^2 in addition to those of a_ij
//     evaluate     values_ij = a_ij
//     search       calls offer() for values above a threshold of their row or column
//
// Kept values take 16 bits. They are the bits of a float in [0, 1] without three parts: the sign, the highest bit of
// the exponent (always 0 for values below 2) and the 14 lowest bits of the fraction, which are rounded. The relative
// error is at most 2^-10 over the whole range.
//
// Written once with Highway and dispatched at run time; MBSC_SIMD=AVX2 (or SSE4, SSE2, AVX3, ...) forces a level.
// Layout: rows in panels of panel_rows() (two vectors), columns in groups of 6. So 12 accumulators, two row vectors and
// a broadcast fill the 16 vector registers of AVX2. A block of values, a few panels against a few groups, is computed
// in cache and used there. Cost per value: d + r fused multiply-adds and about 14 operations for the exponential.
// a_ij = a_ji to the bit, whichever side i is on: both orders run the same operations on commuted operands, and padding
// uses the same arithmetic.
#pragma once

#include <cstddef>
#include <cstdint>

#include "mbsc/base/aligned.h"

namespace mbsc::simd {

enum class Form { gaussian, exponential, cosine, distance };
/// The form `distance` has the tasks evaluate and search, the other forms all but search.
enum class Task { multiply, degrees, evaluate, search };

inline constexpr int group_columns = 6;
/// Numbers after the last packed coordinate that may be read but are not used.
inline constexpr int packed_room = 8;
/// Number of pieces to compute norms for at a time: each norm alone is a chain of dependent sums.
inline constexpr int64_t norms_together = 4;
/// Rows of a panel at the SIMD level in use, for float and double.
template <class T>
int panel_rows();
/// The name of the SIMD level in use: "AVX2", ...
const char* level_name();

/// Coordinates packed for the tile: [panel][feature][panel_rows] or [group][feature][group_columns], padded
/// with zeros. The squared norms are computed with the arithmetic of the tile.
template <class T>
struct Packed {
  int64_t count = 0;     ///< points
  int64_t features = 0;  ///< d
  int64_t width = 0;     ///< panel_rows or group_columns
  /// Only for columns of expanded distances: compute_norms() multiplies the coordinates by -2.
  bool doubled = false;
  AlignedVector<T> values;
  AlignedVector<T> norms;
  int64_t pieces() const { return (count + width - 1) / width; }
  void resize(int64_t count_, int64_t features_, int64_t width_);
  T& at(int64_t i, int64_t f) { return values[static_cast<size_t>(((i / width) * features + f) * width + i % width)]; }
  /// Computes the norms of some pieces, and multiplies their values by -2 if `doubled`. Call it once, after the
  /// coordinates are in place.
  void compute_norms(int64_t first_piece, int64_t some);
};

template <class T>
struct Tile {
  Form form = Form::gaussian;
  bool direct = false;
  T gain = 1;
  const Packed<T>* rows = nullptr;
  const Packed<T>* columns = nullptr;
  /// a_ii = 0: value (i, j) is zero if row_index + i == column_index[j]; null = no zeros.
  const int64_t* column_index = nullptr;
  int64_t row_index = 0;
  int64_t right_hand_sides = 0;  ///< r; 1 for degrees
  /// [group][r][group_columns]; the padding must be zero.
  const T* column_rhs = nullptr;
  /// [panel][r][panel_rows], accumulated; for degrees [panel][2][panel_rows].
  T* row_out = nullptr;
  /// For the transposed product; null = not wanted. [panel][r][panel_rows]; the padding must be zero.
  const T* row_rhs = nullptr;
  /// [column][r], accumulated; for degrees [column][2]. Needs room for whole groups.
  T* column_out = nullptr;
  /// For evaluate: row-major rows x columns, with `values_stride` between rows; no padding needed.
  T* values = nullptr;
  int64_t values_stride = 0;
  /// For search, and for degrees (null = not wanted): calls offer(context, i, j, a_ij) for each value above the smaller of the
  /// thresholds of row i (infinity in the padding) and of column j. The callback may raise thresholds.
  void (*offer)(void* context, int64_t row, int64_t column, T value) = nullptr;
  void* offer_context = nullptr;
  const T* row_least = nullptr;
  const T* column_least = nullptr;
  /// For degrees, null = not wanted: also stores the values in 16 bits, [block][panel][column][panel_rows] in the order
  /// of evaluation. Needs room for whole panels and groups. Float only.
  uint16_t* keep = nullptr;
  /// For multiply, null = none: uses these stored values instead of evaluating. Of `rows` and `columns` it then reads
  /// only the counts.
  const uint16_t* kept = nullptr;
  /// Working memory of the calling thread.
  AlignedVector<T>* scratch = nullptr;
};

void run(Task task, const Tile<float>& tile);
void run(Task task, const Tile<double>& tile);

}  // namespace mbsc::simd
