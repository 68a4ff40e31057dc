// SPDX-License-Identifier: Apache-2.0
// Some points, wherever they are held, as every rank needs them.
#pragma once

#include <span>

#include "mbsc/base/aligned.h"
#include "mbsc/base/points.h"
#include "mbsc/linalg/row_space.h"

namespace mbsc {

class GatheredPoints {
 public:
  /// `own` are this rank's rows, `rows` global numbers in any order, the same on all ranks. Collective.
  GatheredPoints(const RowSpace& space, const Points& own, std::span<const int64_t> rows);
  /// In the order in which they were asked for, with the shift and scale of the own ones.
  const Points& points() const { return points_; }

 private:
  AlignedVector<std::byte> bytes_;
  Points points_;
};

}  // namespace mbsc
