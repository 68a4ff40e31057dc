// SPDX-License-Identifier: Apache-2.0
// Lists of the nearest points found so far. Many threads may offer candidates at the same time. Each list holds the
// nearest of all candidates it was offered, by (distance, number), with distances by direct differences. So the result
// does not depend on the order of the offers.
#pragma once

#include <atomic>
#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "mbsc/input.h"

namespace mbsc {

/// A near point and its squared distance.
struct NearPoint {
  float distance;
  int32_t point;
  /// A number that orders by distance, then by point. Floats that are not negative order like their bits.
  uint64_t key() const { return uint64_t{std::bit_cast<uint32_t>(distance)} << 32 | uint32_t(point); }
  bool operator<(const NearPoint& other) const { return key() < other.key(); }
  bool operator==(const NearPoint&) const = default;
};

class NearLists {
 public:
  /// Empty lists that will hold `each` points. The rows of `points` must outlive this object.
  NearLists(MatrixView<const float> points, int64_t each);

  int64_t each() const { return each_; }
  int64_t size() const { return points_.rows; }
  MatrixView<const float> points() const { return points_; }

  /// Offers candidates other than the point itself, in any order and with repetitions.
  void merge(int64_t point, std::span<const int32_t> candidates, std::vector<float>& scratch);
  /// The squared distance of the last entry; infinite while the list is not full. It may be larger than the current
  /// value if other threads offer candidates at the same time.
  float farthest(int64_t point) const { return farthest_[size_t(point)].load(std::memory_order_relaxed); }
  /// The list of a point, nearest first. Not while other threads offer candidates.
  std::span<const NearPoint> list(int64_t point) const {
    return {entries_.data() + point * each_, size_t(counts_[size_t(point)])};
  }

 private:
  class Lock;

  MatrixView<const float> points_;
  int64_t each_;
  std::vector<NearPoint> entries_;
  std::vector<int32_t> counts_;
  std::unique_ptr<std::atomic<float>[]> farthest_;
  std::unique_ptr<std::atomic<bool>[]> locks_;
};

}  // namespace mbsc
