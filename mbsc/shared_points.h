// SPDX-License-Identifier: Apache-2.0
// Points as the blocks want them, on whatever rank they were given.
#pragma once

#include <memory>
#include <vector>

#include "mbsc/base/points.h"
#include "mbsc/linalg/row_balance.h"

namespace mbsc {

/// Stored values, row after row; zeros where a row has fewer than so many features.
template <class Value>
std::vector<Value> stored_rows(const Points& points, int64_t features) {
  std::vector<Value> rows(size_t(points.rows * features));
  for (int64_t i = 0; i < points.rows; ++i)
    for (int64_t f = 0; f < points.features; ++f) rows[size_t(i * features + f)] = Value(points.raw(i, f));
  return rows;
}

class SharedPoints {
 public:
  /// Collective. Copies rows only where some of them are not where they belong, or of another type than others are.
  SharedPoints(const Points& given, const Comm& comm);
  const Points& points() const { return points_; }
  const RowBalance& balance() const { return balance_; }

 private:
  template <class Value>
  void take();

  Points points_;
  RowBalance balance_;
  std::shared_ptr<void> owned_;
};

}  // namespace mbsc
