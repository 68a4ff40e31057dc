// SPDX-License-Identifier: Apache-2.0
// The only parallel loop of the library. Iterations must be independent. Any thread may run any iteration, so results
// must not depend on which thread runs which.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <type_traits>

#include "mbsc/base/thread_pool.h"

namespace mbsc {

/// The number of threads to use for this many operations: one if there are few, because waking threads costs about as
/// much as 2 million operations.
inline int worthwhile_threads(int threads, double operations) { return operations < 4e6 ? 1 : threads; }

/// Calls body(i) for i in [0, count) on up to `threads` threads. If a call throws, the calls that have not started are
/// skipped, and the first exception is rethrown.
template <class Body>
void parallel_for(int threads, int64_t count, Body&& body) {
  if (threads <= 1 || count <= 1) {
    for (int64_t i = 0; i < count; ++i) body(i);
    return;
  }
  struct Shared {
    std::remove_reference_t<Body>& body;
    std::exception_ptr error;
    std::atomic<bool> failed{false};
  } shared{body, {}, {}};
  const auto call = [](void* context, int64_t i) {
    Shared& s = *static_cast<Shared*>(context);
    if (s.failed.load(std::memory_order_relaxed)) return;
    try {
      s.body(i);
    } catch (...) {
      if (!s.failed.exchange(true)) s.error = std::current_exception();
    }
  };
  run_on_threads(threads, count, call, &shared);
  if (shared.error) std::rethrow_exception(shared.error);
}

}  // namespace mbsc
