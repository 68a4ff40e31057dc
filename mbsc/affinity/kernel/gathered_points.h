// SPDX-License-Identifier: Apache-2.0
// GatheredPoints: copies of some points of all ranks, on every rank.
#pragma once

#include <span>

#include "mbsc/base/aligned.h"
#include "mbsc/input.h"
#include "mbsc/linalg/row_space.h"

namespace mbsc {

class GatheredPoints {
 public:
  /// `own` are the rows of this rank. `rows` are global row numbers in any order, the same on all ranks. Collective.
  GatheredPoints(const RowSpace& space, const Points& own, std::span<const int64_t> rows);
  /// The points in the order of `rows`, with the shift and scale of `own`.
  const Points& points() const { return points_; }

 private:
  AlignedVector<std::byte> bytes_;
  Points points_;
};

}  // namespace mbsc
