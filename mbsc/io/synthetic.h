// SPDX-License-Identifier: Apache-2.0
// Synthetic data with known classes, any n: a row is a function of (options, row number) alone, so that rows can
// be made in pieces, in parallel, or by many ranks.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "mbsc/base/matrix.h"

namespace mbsc {

enum class Shape { rings, moons, blobs, spirals };

struct SyntheticOptions {
  Shape shape = Shape::rings;
  int64_t n = 1000;
  int64_t features = 2;  ///< 2, or more for blobs
  int clusters = 0;      ///< 0 = the shape's own: 2 for rings, moons and spirals, 3 for blobs
  double noise = -1;     ///< standard deviation of the added noise; negative = the shape's own
  uint64_t seed = 0;
};

/// Fills the defaults in and throws InvalidInput where a value is out of range.
SyntheticOptions checked(SyntheticOptions options);

/// Rows [first_row, first_row + out.rows) and their classes. `options` must be checked().
void make_rows(const SyntheticOptions& options, int64_t first_row, MatrixView<float> out, std::span<int32_t> classes);

}  // namespace mbsc
