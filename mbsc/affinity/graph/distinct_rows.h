// SPDX-License-Identifier: Apache-2.0
// The distinct rows of some points, and the points that have each of these rows.
#pragma once

#include <cstdint>
#include <vector>

#include "mbsc/input.h"
#include "mbsc/options.h"

namespace mbsc {

struct DistinctRows {
  Matrix<float> rows;           ///< the distinct rows, in the order of their first appearance
  std::vector<int32_t> of;      ///< for each point, the number of its distinct row
  std::vector<int64_t> starts;  ///< for each distinct row, where its copies begin in `copies`; and the end of the last
  std::vector<int32_t> copies;  ///< all points, grouped by distinct row; ascending in each group
  int64_t count() const { return rows.rows(); }
};

/// Writes row i to `out`. The row is scaled. For the metric cosine, it is then divided by its length, unless it is zero.
/// Then it is rounded to float32.
void round_row(const Points& points, int64_t i, Metric metric, float* out);

/// Finds the distinct rows. Rows are compared as round_row() writes them.
DistinctRows find_distinct(const Points& points, int threads, Metric metric = Metric::euclidean);

/// A hash of the bits of a row.
uint64_t hash_of(const float* row, int64_t features);

}  // namespace mbsc
