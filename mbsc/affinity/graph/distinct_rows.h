// SPDX-License-Identifier: Apache-2.0
// The distinct rows of some points, and which rows are copies of each other.
#pragma once

#include <cstdint>
#include <vector>

#include "mbsc/input.h"

namespace mbsc {

struct DistinctRows {
  Matrix<float> rows;           ///< the distinct rows; at first in the order of their first appearance
  std::vector<int32_t> of;      ///< for each point the number of its distinct row
  std::vector<int64_t> starts;  ///< for each distinct row, where its copies begin in `copies`; one more at the end
  std::vector<int32_t> copies;  ///< the points, by distinct row; ascending for each
  int64_t count() const { return rows.rows(); }
};

/// Rows are compared after scaling and rounding to float32.
DistinctRows find_distinct(const Points& points, int threads);

/// Renumbers the distinct rows: row order[i] becomes row i. Needs no second copy of the rows.
void reorder(const std::vector<int32_t>& order, DistinctRows& distinct);

}  // namespace mbsc
