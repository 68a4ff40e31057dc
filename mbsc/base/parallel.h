// SPDX-License-Identifier: Apache-2.0
// The one parallel loop. Iterations must be independent. The assignment of iterations to threads is not defined, so
// results must not depend on it.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <type_traits>

#include "mbsc/base/thread_pool.h"

namespace mbsc {

/// The number of threads to use for this many operations. Waking threads costs about as much as 2 million operations.
inline int worthwhile_threads(int threads, double operations) { return operations < 4e6 ? 1 : threads; }

/// Calls body(i) for i in [0, count) on up to `threads` threads, then rethrows the first exception.
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
