// SPDX-License-Identifier: Apache-2.0
// Which rows of a set of points are rows of another.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mbsc/base/points.h"

namespace mbsc {

/// A hash of the values of each row as stored; where `rounded`, to float32.
std::vector<uint64_t> hash_rows(const Points& points, bool rounded, int threads);

struct Coincidence {
  /// The rows to work on: every one but those that repeat a coincident one.
  std::vector<int64_t> distinct;
  /// For each row its place among `distinct`.
  std::vector<int64_t> place;
  /// For each row of the other set the place that coincides with it, -1 = none. A place has at most one such row.
  std::vector<int64_t> partner;
};

/// Rows are equal where their hashes are: of 10^6 rows and 10^6 others, two different ones are taken for equal with
/// probability 10^-7.
Coincidence find_coincidence(std::span<const uint64_t> rows, std::span<const uint64_t> others);

}  // namespace mbsc
