// SPDX-License-Identifier: Apache-2.0
// Finds the rows of one set of points that also occur in another set.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mbsc/input.h"

namespace mbsc {

struct Coincidence {
  /// The rows to process: all rows, except that equal rows are listed once if they also occur in the other set.
  std::vector<int64_t> distinct;
  /// For each row: its index in `distinct`.
  std::vector<int64_t> place;
  /// For each row of the other set: the index in `distinct` of the row that coincides with it; -1 = none. An index
  /// occurs at most once: if several rows of the other set are equal, only the first one has a partner.
  std::vector<int64_t> partner;
};

/// Compares the rows of two sets by their hashes. Rows count as equal if their hashes are equal. For 10^6 rows and 10^6
/// others, the probability that two different rows count as equal is 10^-7.
Coincidence find_coincidence(std::span<const uint64_t> rows, std::span<const uint64_t> others);

}  // namespace mbsc
