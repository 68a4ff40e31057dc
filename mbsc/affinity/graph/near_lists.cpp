// SPDX-License-Identifier: Apache-2.0
#include "mbsc/affinity/graph/near_lists.h"

#include <algorithm>
#include <cstddef>
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

int64_t key_of(const NearPoint& near) { return int64_t(near.key()); }
NearPoint near_of(int64_t key) { return {std::bit_cast<float>(uint32_t(key >> 32)), int32_t(key)}; }

/// Merges two sorted arrays, each followed by no_key, until there are `most` entries. Returns their number.
int64_t merge_keys(const int64_t* old, const int64_t* added, int64_t most, NearPoint* out) {
  for (int64_t e = 0; e < most; ++e) {
    const bool take_old = *old < *added;
    const int64_t key = take_old ? *old : *added;
    if (key == simd::no_key) return e;
    out[e] = near_of(key);
    old += take_old ? 1 : 0;
    added += take_old ? 0 : 1;
  }
  return most;
}

}  // namespace

NearLists::NearLists(MatrixView<const float> points, MatrixView<const float> others, int64_t each)
    : points_(points),
      others_(others),
      each_(each),
      entries_(size_t(points.rows * each)),
      states_(new State[size_t(points.rows)]) {
  for (int64_t i = 0; i < points.rows; ++i) {
    State& state = states_[size_t(i)];
    state.farthest.store(std::numeric_limits<float>::infinity(), std::memory_order_relaxed);
    state.count = 0;
    state.is_locked.store(false, std::memory_order_relaxed);
  }
}

float NearLists::limit_of(float farthest) {
  return std::min(farthest / 2 * 1.000001F + std::numeric_limits<float>::min(), std::numeric_limits<float>::max());
}

void NearLists::merge(int64_t point, std::span<simd::Candidate> candidates, Scratch& scratch) {
  static_assert(sizeof(NearPoint) == 8 && offsetof(NearPoint, point) == 4);  // as keep_unknown() expects
  State& state = states_[size_t(point)];
  const Lock lock(state.is_locked);
  NearPoint* first = entries_.data() + point * each_;
  int64_t count = state.count;
  const int64_t kept = simd::keep_unknown(reinterpret_cast<const int32_t*>(first), count, limit(point),
                                          candidates.data(), int64_t(candidates.size()));
  if (kept == 0) return;
  scratch.points.resize(size_t(kept));
  scratch.distances.resize(size_t(kept));
  for (int64_t c = 0; c < kept; ++c) scratch.points[size_t(c)] = candidates[size_t(c)].point;
  simd::squared_distances(points_.row(point), others_.data, others_.stride, scratch.points.data(), kept, points_.cols,
                          scratch.distances.data());
  // Sort the keys that may enter the list, then merge them with the list.
  const auto room = size_t(kept + 16);
  scratch.keys.resize(2 * room + size_t(each_ + 1));
  int64_t *keys = scratch.keys.data(), *sorted = keys + room, *old = sorted + room;
  const int64_t last = count == each_ ? key_of(first[count - 1]) : simd::no_key;
  int64_t entering = 0;
  for (int64_t c = 0; c < kept; ++c) {
    keys[entering] = key_of({scratch.distances[size_t(c)], scratch.points[size_t(c)]});
    entering += keys[entering] < last ? 1 : 0;
  }
  if (entering == 0) return;
  simd::sort_keys(keys, entering, sorted);
  sorted[entering] = simd::no_key;
  for (int64_t e = 0; e < count; ++e) old[e] = key_of(first[e]);
  old[count] = simd::no_key;
  count = merge_keys(old, sorted, std::min(each_, count + entering), first);
  state.count = int32_t(count);
  if (count == each_) state.farthest.store(first[count - 1].distance, std::memory_order_relaxed);
}

void NearLists::merge(int64_t point, std::span<const NearPoint> found) {
  State& state = states_[size_t(point)];
  NearPoint* first = entries_.data() + point * each_;
  for (const NearPoint& near : found) {
    NearPoint* end = first + state.count;
    NearPoint* at = std::lower_bound(first, end, near);
    if (at == first + each_ || (at < end && *at == near)) continue;  // too far away, or already in the list
    if (state.count < each_) ++end, ++state.count;
    std::move_backward(at, end - 1, end);
    *at = near;
  }
}

}  // namespace mbsc
