// SPDX-License-Identifier: Apache-2.0
// For each point, a list of the nearest points found so far. Many threads may offer candidates at the same time. Each
// list holds the nearest of all candidates that it was offered, ordered by distance, then by number. Distances are sums
// of squared differences. So the result does not depend on the order of the offers.
// The candidates are the points themselves, or the rows of another matrix (the fitted points, if lists of new points are
// wanted).
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
  /// A number that orders by distance, then by point. Nonnegative floats have the same order as their bits.
  uint64_t key() const { return uint64_t{std::bit_cast<uint32_t>(distance)} << 32 | uint32_t(point); }
  bool operator<(const NearPoint& other) const { return key() < other.key(); }
  bool operator==(const NearPoint&) const = default;
};

class NearLists {
 public:
  /// Makes a list for each row of `points`. A list is empty at first and will hold at most `each` rows of `others`. Both
  /// matrices must outlive this object.
  NearLists(MatrixView<const float> points, MatrixView<const float> others, int64_t each);
  NearLists(MatrixView<const float> points, int64_t each) : NearLists(points, points, each) {}

  int64_t each() const { return each_; }
  int64_t size() const { return points_.rows; }
  MatrixView<const float> points() const { return points_; }
  MatrixView<const float> others() const { return others_; }
  /// Whether the candidates are other points.
  bool is_between() const { return others_.data != points_.data; }

  /// Offers candidates to the list of a point, in any order; repetitions are allowed. The point itself must not be
  /// among them.
  void merge(int64_t point, std::span<const int32_t> candidates, std::vector<float>& scratch);
  /// Offers near points whose distances are known. Two threads must not offer to the same list at the same time.
  void merge(int64_t point, std::span<const NearPoint> found);
  /// The squared distance of the last entry of a list; infinite if the list is not full. If other threads offer
  /// candidates at the same time, the result may be an older, larger value.
  float farthest(int64_t point) const { return farthest_[size_t(point)].load(std::memory_order_relaxed); }
  /// The list of a point, nearest first. Do not call it while other threads offer candidates.
  std::span<const NearPoint> list(int64_t point) const {
    return {entries_.data() + point * each_, size_t(counts_[size_t(point)])};
  }

 private:
  class Lock;
  /// Inserts a near point into a list of `count` entries, unless it is in the list already or too far away.
  void insert(const NearPoint& near, NearPoint* first, int64_t& count) const;

  MatrixView<const float> points_, others_;
  int64_t each_;
  std::vector<NearPoint> entries_;
  std::vector<int32_t> counts_;
  std::unique_ptr<std::atomic<float>[]> farthest_;
  std::unique_ptr<std::atomic<bool>[]> locks_;
};

}  // namespace mbsc
