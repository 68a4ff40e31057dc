// SPDX-License-Identifier: Apache-2.0
// Asking a running computation to end. Polled per tile, because one pass can take minutes.
#pragma once

#include <atomic>
#include <exception>

namespace mbsc {

/// Looks at a flag that somebody else raises (a signal handler, another thread). Empty: never asked.
class StopToken {
 public:
  StopToken() = default;
  explicit StopToken(const std::atomic<bool>& flag) : flag_(&flag) {}
  bool stop_requested() const { return raised(flag_) || raised(second_); }
  /// A token that looks at this one's flag and at another.
  StopToken or_when(const std::atomic<bool>& flag) const {
    StopToken both = *this;
    both.second_ = &flag;
    return both;
  }

 private:
  static bool raised(const std::atomic<bool>* flag) { return flag != nullptr && flag->load(std::memory_order_relaxed); }
  const std::atomic<bool>* flag_ = nullptr;
  const std::atomic<bool>* second_ = nullptr;
};

/// Thrown by a product that was asked to end before it was complete. Solvers catch it and return what they have.
class Stopped : public std::exception {
 public:
  const char* what() const noexcept override { return "stopped on request"; }
};

}  // namespace mbsc
