// SPDX-License-Identifier: Apache-2.0
// The hot loop: it computes one tile of kernel values from coordinates and uses the values at once. The tile is never
// stored as a whole.
//
// A tile has the points x_i as rows and the points y_j as columns. First, values a_ij are computed:
//     expanded     t_ij = |x_i|^2 + |y_j|^2 - 2 x_i.y_j, clamped at 0; the columns are stored times -2
//     direct       t_ij = sum_f (x_if - y_jf)^2            if the expanded form would cancel
//     gaussian     a_ij = 2^-(gain t_ij)
//     exponential  a_ij = 2^-(gain sqrt(t_ij))
//     cosine       a_ij = max(0, x_i.y_j)                  rows are packed with length one
//     distance     a_ij = -t_ij, not clamped               expanded; for searches of near points
// For direct distances, gain is gamma log2(e). For expanded distances, the coordinates have been multiplied by the root
// of gamma log2(e), and gain is not applied. Then, while a_ij is in cache, one of these tasks uses it:
//     multiply     row_out_i += sum_j a_ij column_rhs_j    and, if requested, column_out_j += sum_i a_ij row_rhs_i
//     degrees      the same with one right-hand side, and the sums of a_ij^2 in addition to those of a_ij
//     evaluate     values_ij = a_ij
//
// Values that are kept for later passes (Tile::keep, Tile::kept) take 16 bits. They are the bits of a float in [0, 1]
// without three parts: the sign, the highest bit of the exponent (always 0 for values below 2) and the 14 lowest bits
// of the fraction, which are rounded. The relative error is at most 2^-10 over the whole range.
//
// The code is written once with Highway and dispatched at run time. The environment variable MBSC_SIMD=AVX2 (or SSE4,
// SSE2, AVX3, ...) forces a level.
// Layout: the rows form panels of panel_rows() rows (two vectors), the columns form groups of 6. So 12 accumulators,
// two row vectors and a broadcast fit into the 16 vector registers of AVX2. A block of values, a few panels against a
// few groups, is computed and used in cache.
// Cost per value: d + r fused multiply-adds (d features, r right-hand sides) and about 14 operations for the
// exponential.
// a_ij = a_ji to the bit, whether point i is a row or a column: both cases run the same operations on commuted
// operands, and padding uses the same arithmetic.
#pragma once

#include <cstddef>
#include <cstdint>

#include "mbsc/base/aligned.h"

namespace mbsc::simd {

enum class Form { gaussian, exponential, cosine, distance };
/// The form `distance` supports the task `evaluate` only.
enum class Task { multiply, degrees, evaluate };

inline constexpr int group_columns = 6;
/// The number of elements after the last packed coordinate. They may be read but are not used.
inline constexpr int packed_room = 8;
/// The number of pieces whose norms are computed together. One norm alone is a chain of additions that wait for each
/// other.
inline constexpr int64_t norms_together = 4;
/// The number of rows of a panel at the SIMD level in use. T is float or double.
template <class T>
int panel_rows();
/// The name of the SIMD level in use: "AVX2", ...
const char* level_name();

/// Coordinates packed for the tile: [panel][feature][panel_rows] or [group][feature][group_columns], padded with zeros.
/// A panel or a group is called a piece. The squared norms are computed with the arithmetic of the tile.
template <class T>
struct Packed {
  int64_t count = 0;     ///< points
  int64_t features = 0;  ///< d
  int64_t width = 0;     ///< panel_rows or group_columns
  /// Whether compute_norms() multiplies the coordinates by -2. Only for columns of expanded distances.
  bool doubled = false;
  AlignedVector<T> values;
  AlignedVector<T> norms;
  int64_t pieces() const { return (count + width - 1) / width; }
  void resize(int64_t count_, int64_t features_, int64_t width_);
  T& at(int64_t i, int64_t f) { return values[static_cast<size_t>(((i / width) * features + f) * width + i % width)]; }
  /// Computes the norms of `some` pieces, then multiplies their coordinates by -2 if `doubled`. Call it once for each
  /// piece, after its coordinates are in place.
  void compute_norms(int64_t first_piece, int64_t some);
};

/// What run() needs. r is the number of right-hand sides.
template <class T>
struct Tile {
  Form form = Form::gaussian;
  bool direct = false;
  T gain = 1;
  const Packed<T>* rows = nullptr;
  const Packed<T>* columns = nullptr;
  /// For the zero diagonal of A: value (i, j) is zero if row_index + i == column_index[j]. Null: no value is set to
  /// zero.
  const int64_t* column_index = nullptr;
  int64_t row_index = 0;
  int64_t right_hand_sides = 0;  ///< r; 1 for degrees
  /// [group][r][group_columns]; the padding must be zero.
  const T* column_rhs = nullptr;
  /// [panel][r][panel_rows], accumulated; for degrees [panel][2][panel_rows].
  T* row_out = nullptr;
  /// For the transposed product: [panel][r][panel_rows]; the padding must be zero.
  const T* row_rhs = nullptr;
  /// [column][r], accumulated; for degrees [column][2]. Needs room for whole groups. Null: no transposed product.
  T* column_out = nullptr;
  /// For evaluate: row-major rows x columns, with `values_stride` between rows; no padding needed.
  T* values = nullptr;
  int64_t values_stride = 0;
  /// For degrees, if not null: called as offer(offer_context, i, j, a_ij) for each value that is above
  /// row_least[i] or column_least[j]. row_least must be infinite in the padding. The callback may raise these
  /// thresholds.
  void (*offer)(void* context, int64_t row, int64_t column, T value) = nullptr;
  void* offer_context = nullptr;
  const T* row_least = nullptr;
  const T* column_least = nullptr;
  /// For degrees, if not null: the values are also stored here in 16 bits, as [block][panel][column][panel_rows] in the
  /// order of evaluation. Needs room for whole panels and groups. Float only.
  uint16_t* keep = nullptr;
  /// For multiply, if not null: these stored values are used instead of new ones. Of `rows` and `columns`, only the
  /// counts are then read.
  const uint16_t* kept = nullptr;
  /// Working memory of the calling thread.
  AlignedVector<T>* scratch = nullptr;
};

/// Performs one task on a tile.
void run(Task task, const Tile<float>& tile);
void run(Task task, const Tile<double>& tile);

}  // namespace mbsc::simd
