// SPDX-License-Identifier: Apache-2.0
// For each point, a list of the nearest points found so far. Many threads may offer candidates at the same time. Each
// list holds the nearest of all candidates that it was offered, ordered by distance, then by number. Distances are sums
// of squared differences. So the result does not depend on the order of the offers.
// A candidate comes with a lower bound of its distance. Its distance is computed only if the bound does not rule it out
// and if it is not in the list yet.
// The candidates are the points themselves, or the rows of another matrix (the fitted points, if lists of new points
// are wanted).
#pragma once

#include <atomic>
#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "mbsc/input.h"
#include "mbsc/simd/near_pairs.h"

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
  /// Makes a list for each row of `points`. A list is empty at first and will hold at most `each` rows of `others`.
  /// Both matrices must outlive this object.
  NearLists(MatrixView<const float> points, MatrixView<const float> others, int64_t each);
  NearLists(MatrixView<const float> points, int64_t each) : NearLists(points, points, each) {}

  int64_t each() const { return each_; }
  int64_t size() const { return points_.rows; }
  MatrixView<const float> points() const { return points_; }
  MatrixView<const float> others() const { return others_; }
  /// Whether the candidates are other points.
  bool is_between() const { return others_.data != points_.data; }

  /// Working memory of one thread.
  struct Scratch {
    std::vector<int32_t> points;
    std::vector<float> distances;
    std::vector<int64_t> keys;
  };
  /// Offers candidates to the list of a point, in any order. They are different points, and not the point itself.
  /// Changes the candidates, and reads up to 16 of the memory after them.
  void merge(int64_t point, std::span<simd::Candidate> candidates, Scratch& scratch);
  /// Offers near points whose distances are known. Two threads must not offer to the same list at the same time.
  void merge(int64_t point, std::span<const NearPoint> found);
  /// The limit for the bounds of candidates: those above it cannot enter the list of a point. Slightly above half of
  /// farthest(), so that equal distances are offered, too; finite.
  float limit(int64_t point) const { return limit_of(farthest(point)); }
  /// The squared distance of the last entry of a list; infinite if the list is not full. If other threads offer
  /// candidates at the same time, the result may be an older, larger value.
  float farthest(int64_t point) const { return states_[size_t(point)].farthest.load(std::memory_order_relaxed); }
  /// The list of a point, nearest first. Do not call it while other threads offer candidates.
  std::span<const NearPoint> list(int64_t point) const {
    return {entries_.data() + point * each_, size_t(states_[size_t(point)].count)};
  }
  /// Loads a list into the cache, because it will be needed soon.
  void prefetch(int64_t point) const {
    __builtin_prefetch(&states_[size_t(point)]);
    for (int64_t e = 0; e < each_; e += 8) __builtin_prefetch(entries_.data() + point * each_ + e);
  }

 private:
  class Lock;
  struct State {
    std::atomic<float> farthest;
    int32_t count;
    std::atomic<bool> is_locked;
  };
  static float limit_of(float farthest);

  MatrixView<const float> points_, others_;
  int64_t each_;
  std::vector<NearPoint> entries_;
  std::unique_ptr<State[]> states_;  ///< of each list
};

}  // namespace mbsc
