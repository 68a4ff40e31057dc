// SPDX-License-Identifier: Apache-2.0
#include "mbsc/affinity/graph/near_lists.h"

#include <algorithm>
#include <limits>
#include <thread>

#include "mbsc/simd/distance.h"

namespace mbsc {

/// Locks one list. A lock is held for about a microsecond, and threads rarely wait for it, so they spin.
class NearLists::Lock {
 public:
  explicit Lock(std::atomic<bool>& flag) : flag_(flag) {
    while (flag_.exchange(true, std::memory_order_acquire)) std::this_thread::yield();
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  ~Lock() { flag_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool>& flag_;
};

namespace {

/// The number of entries below a key, by binary search. It has no branches, because these could not be predicted.
int64_t place_of(uint64_t key, const NearPoint* first, int64_t count) {
  if (count == 0) return 0;
  const NearPoint* at = first;
  for (int64_t left = count; left > 1;) {
    const int64_t half = left / 2;
    at += at[half - 1].key() < key ? half : 0;
    left -= half;
  }
  return at - first + (at->key() < key ? 1 : 0);
}

}  // namespace

NearLists::NearLists(MatrixView<const float> points, MatrixView<const float> others, int64_t each)
    : points_(points),
      others_(others),
      each_(each),
      entries_(size_t(points.rows * each)),
      counts_(size_t(points.rows)),
      farthest_(new std::atomic<float>[size_t(points.rows)]),
      locks_(new std::atomic<bool>[size_t(points.rows)]) {
  for (int64_t i = 0; i < points.rows; ++i) {
    farthest_[size_t(i)].store(std::numeric_limits<float>::infinity(), std::memory_order_relaxed);
    locks_[size_t(i)].store(false, std::memory_order_relaxed);
  }
}

void NearLists::insert(const NearPoint& near, NearPoint* first, int64_t& count) const {
  if (count == each_ && !(near < first[count - 1])) return;
  NearPoint* at = first + place_of(near.key(), first, count);
  if (at < first + count && at->key() == near.key()) return;  // already in the list
  if (count < each_) ++count;
  std::move_backward(at, first + count - 1, first + count);
  *at = near;
}

void NearLists::merge(int64_t point, std::span<const int32_t> candidates, std::vector<float>& scratch) {
  scratch.resize(candidates.size());
  simd::squared_distances(points_.row(point), others_.data, others_.stride, candidates.data(),
                          int64_t(candidates.size()), points_.cols, scratch.data());
  const Lock lock(locks_[size_t(point)]);
  NearPoint* first = entries_.data() + point * each_;
  int64_t count = counts_[size_t(point)];
  for (size_t c = 0; c < candidates.size(); ++c) insert({scratch[c], candidates[c]}, first, count);
  counts_[size_t(point)] = int32_t(count);
  if (count == each_) farthest_[size_t(point)].store(first[count - 1].distance, std::memory_order_relaxed);
}

void NearLists::merge(int64_t point, std::span<const NearPoint> found) {
  NearPoint* first = entries_.data() + point * each_;
  int64_t count = counts_[size_t(point)];
  for (const NearPoint& near : found) insert(near, first, count);
  counts_[size_t(point)] = int32_t(count);
}

}  // namespace mbsc
