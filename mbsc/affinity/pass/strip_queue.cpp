// SPDX-License-Identifier: Apache-2.0
#include "mbsc/affinity/pass/strip_queue.h"

#include <algorithm>

#include "mbsc/base/parallel.h"

namespace mbsc {

StripQueue::StripQueue(std::span<const Strip> strips, Range own, const StripSteps& steps)
    : strips_(strips), own_(own), steps_(steps), next_strip_of_row_(size_t(own.size())), progress_(strips.size()) {
  for (size_t s = strips.size(); s-- > 0;)
    for (int64_t row = strips[s].rows.begin; row < strips[s].rows.end; ++row)
      next_strip_of_row_[size_t(row - own.begin)] = int64_t(s);
  for (const Strip& strip : strips) {
    first_item_.push_back(items_);
    items_ += strip.turns.size() + strip.rows.size();
  }
}

void StripQueue::run(int threads) {
  parallel_for(threads, threads, [&](int64_t) {
    try {
      for (int64_t item; (item = next_item_++) < items_;) process(item);
    } catch (const Canceled&) {
    } catch (...) {
      update([&] { failed_ = true; });
      throw;
    }
  });
}

// Threads take the items in order. Everything that an item waits for is therefore done or in progress.
void StripQueue::process(int64_t item) {
  const auto s = size_t(std::upper_bound(first_item_.begin(), first_item_.end(), item) - first_item_.begin() - 1);
  const int64_t number = item - first_item_[s], turns = strips_[s].turns.size();
  if (number < turns)
    prepare(s, strips_[s].turns.begin + number);
  else
    process_row(s, number - turns);
}

void StripQueue::prepare(size_t s, int64_t turn) {
  // Strip s - 2 uses the same slot.
  if (s >= 2) wait([&] { return progress_[s - 2].applied == strips_[s - 2].rows.size(); });
  steps_.prepare(int64_t(s % 2), strips_[s], turn);
  update([&] { ++progress_[s].prepared; });
}

void StripQueue::process_row(size_t s, int64_t order) {
  const Strip& strip = strips_[s];
  const int64_t slot = int64_t(s % 2), row = strip.rows.end - 1 - order;
  int64_t& next_strip = next_strip_of_row_[size_t(row - own_.begin)];
  wait([&] { return progress_[s].prepared == strip.turns.size() && next_strip == int64_t(s); });
  steps_.compute(slot, strip, row);
  wait([&] { return progress_[s].applied == order; });
  steps_.apply(slot, strip, row);
  update([&] {
    ++progress_[s].applied;
    ++next_strip;
  });
}

void StripQueue::wait(const std::function<bool()>& ready) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return failed_ || ready(); });
  if (failed_) throw Canceled();
}

void StripQueue::update(const std::function<void()>& change) {
  const std::lock_guard lock(mutex_);
  change();
  changed_.notify_all();
}

}  // namespace mbsc
