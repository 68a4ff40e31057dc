// SPDX-License-Identifier: Apache-2.0
// PassProgress: reports the share of a pass that is done.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>

#include "mbsc/options.h"

namespace mbsc {

/// Construct it on the thread that starts the pass: only this thread calls `report`. Reports are at least 0.5 % apart.
/// After a stop request there are no more reports.
class PassProgress {
 public:
  PassProgress(int64_t tiles, const std::function<void(double)>& report, const StopToken& stop)
      : tiles_(tiles), report_(report), stop_(stop), caller_(std::this_thread::get_id()) {}

  /// Counts tiles as done. Any thread may call this.
  void add(int64_t tiles) {
    const double share = double(done_ += tiles) / double(tiles_);
    if (!report_ || std::this_thread::get_id() != caller_) return;
    if (share < reported_ + 0.005 || stop_.stop_requested()) return;
    reported_ = share;
    report_(share);
  }
  /// Reports 1 if it has not been reported yet.
  void finish() {
    if (report_ && reported_ < 1 && !stop_.stop_requested()) report_(1);
  }

 private:
  const int64_t tiles_;
  const std::function<void(double)>& report_;
  const StopToken& stop_;
  const std::thread::id caller_;
  std::atomic<int64_t> done_{0};
  double reported_ = 0;
};

}  // namespace mbsc
