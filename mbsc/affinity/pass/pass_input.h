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

/// The operands of a pass. All row numbers are local: row 0 is the first row of this rank.
template <class T, class Sum>
struct PassOperands {
  simd::Task task = simd::Task::multiply;
  MatrixView<const T> V;                     ///< right-hand sides; for degrees a column of ones
  MatrixView<Sum> row_sums;                  ///< for each row, the pass adds the sum over the columns that it meets
  MatrixView<Sum> column_sums;               ///< for each column, the pass adds the sum over the rows that it meets
  LargestEntries<T>* row_largest = nullptr;  ///< the largest entries of the same pairs; null: not requested
  LargestEntries<T>* column_largest = nullptr;
  TileCache* cache_to_fill = nullptr;        ///< if not null, the pass stores the values that it evaluates here
  const TileCache* cache_to_read = nullptr;  ///< if not null, its tiles are read instead of evaluated
};

/// One column block of a pass. Its memory belongs to the operands of this rank or to a received message.
template <class T, class Sum>
struct PassColumns {
  Range rows;     ///< the points of the block, by global number
  Points points;  ///< the same points; their row 0 is the first of the block
  MatrixView<const T> V;
  MatrixView<Sum> sums;
  LargestEntries<T>* largest = nullptr;
  int64_t first_largest = 0;  ///< the row of `largest` for the first point of the block
};

template <class T, class Sum>
struct PassInput {
  /// `points` are the rows of this rank. All arguments must outlive this object.
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
  /// The columns of an own block.
  PassColumns<T, Sum> own_columns(int64_t block) const;
  /// Whether any tile must be evaluated. If so, column blocks need their coordinates.
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
