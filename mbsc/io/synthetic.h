// SPDX-License-Identifier: Apache-2.0
// Synthetic data with known classes. A row depends only on the options and on its number, so rows can be made in parts,
// in parallel or on several ranks.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "mbsc/input.h"

namespace mbsc {

enum class Shape { rings, moons, blobs, spirals };

struct SyntheticOptions {
  Shape shape = Shape::rings;
  int64_t n = 1000;
  int64_t features = 2;  ///< 2; any number for blobs
  int clusters = 0;      ///< 0 = the default of the shape: 2 for rings, moons and spirals, 3 for blobs
  double noise = -1;     ///< the standard deviation of the added noise; negative = the default of the shape
  uint64_t seed = 0;
};

/// Fills in the defaults. Throws InvalidInput if a value is out of range.
SyntheticOptions checked(SyntheticOptions options);

/// Makes the rows [first_row, first_row + out.rows) and their classes. `options` must be a result of checked().
void make_rows(const SyntheticOptions& options, int64_t first_row, MatrixView<float> out, std::span<int32_t> classes);

}  // namespace mbsc
