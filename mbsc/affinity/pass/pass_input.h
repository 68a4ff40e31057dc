// SPDX-License-Identifier: Apache-2.0
// What a symmetric pass reads and writes: the points, the kernel and the operands of this rank. T is the type of the
// kernel values; Sum is the type of the sums, which is T for products and double for degrees.
#pragma once

#include <cstdint>

#include "mbsc/affinity/graph/neighbors.h"
#include "mbsc/affinity/pass/make_tile.h"
#include "mbsc/affinity/pass/packing.h"
#include "mbsc/affinity/pass/pair_ring.h"
#include "mbsc/affinity/pass/tile_cache.h"
#include "mbsc/input.h"
#include "mbsc/linalg/row_space.h"

namespace mbsc {

/// All row numbers are local: row 0 is the first row of this rank.
template <class T, class Sum>
struct PassOperands {
  simd::Task task = simd::Task::multiply;
  MatrixView<const T> V;                     ///< right-hand sides; for degrees a column of ones
  MatrixView<Sum> row_sums;                  ///< sums over the columns that a row meets, added to
  MatrixView<Sum> column_sums;               ///< sums over the rows that a column meets, added to
  LargestEntries<T>* row_largest = nullptr;  ///< the largest entries among the same pairs; null: not wanted
  LargestEntries<T>* column_largest = nullptr;
  TileCache* cache_to_fill = nullptr;        ///< stores the values that the pass evaluates
  const TileCache* cache_to_read = nullptr;  ///< replaces the evaluation of the tiles that it contains
};

/// One column block of a pass. Its memory belongs to the operands of this rank or to a received message.
template <class T, class Sum>
struct PassColumns {
  Range rows;     ///< the points of the block, by global number
  Points points;  ///< the same points; their row 0 is the first of the block
  MatrixView<const T> V;
  MatrixView<Sum> sums;
  LargestEntries<T>* largest = nullptr;
  int64_t first_largest = 0;  ///< the row of `largest` that belongs to the first point
};

template <class T, class Sum>
struct PassInput {
  /// `points` are the rows of this rank. The pass refers to all arguments.
  PassInput(const RowSpace& space_, const Points& points_, const PackingRule& rule_, const TileForm<T>& form_,
            const PassOperands<T, Sum>& operands_)
      : space(space_),
        points(points_),
        rule(rule_),
        form(form_),
        operands(operands_),
        ring(space_.blocks().count()),
        own(space_.own_blocks()),
        first_row(space_.own_rows().begin) {}

  /// The local rows of an own block.
  Range local_rows(int64_t block) const;
  PassColumns<T, Sum> own_columns(int64_t block) const;
  /// Whether any tile must be evaluated, so that columns need their coordinates.
  bool needs_points() const {
    return operands.cache_to_read == nullptr || operands.cache_to_read->tiles() < ring.tiles();
  }
  int64_t sums_per_row() const { return operands.row_sums.cols; }

  const RowSpace& space;
  const Points& points;
  const PackingRule& rule;
  const TileForm<T>& form;
  const PassOperands<T, Sum>& operands;
  const PairRing ring;
  const Range own;          ///< row blocks of this rank
  const int64_t first_row;  ///< global number of the first row of this rank
};

}  // namespace mbsc
