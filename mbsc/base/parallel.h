// SPDX-License-Identifier: Apache-2.0
// The one parallel loop. Iterations must be independent; which thread runs which is not defined, so nothing
// may depend on it.
#pragma once

#include <omp.h>

#include <atomic>
#include <cstdint>
#include <exception>

namespace mbsc {

/// How many of `threads` are worth waking for this many operations: waking them takes as long as some 2 million.
inline int worthwhile_threads(int threads, double operations) { return operations < 4e6 ? 1 : threads; }

/// Calls body(i) for i in [0, count) on up to `threads` threads; rethrows the first exception afterwards.
template <class Body>
void parallel_for(int threads, int64_t count, Body&& body) {
  if (threads <= 1 || count <= 1) {
    for (int64_t i = 0; i < count; ++i) body(i);
    return;
  }
  std::exception_ptr error;
  std::atomic<bool> failed{false};
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
  for (int64_t i = 0; i < count; ++i) {
    if (failed.load(std::memory_order_relaxed)) continue;
    try {
      body(i);
    } catch (...) {
      if (!failed.exchange(true)) error = std::current_exception();
    }
  }
  if (error) std::rethrow_exception(error);
}

}  // namespace mbsc
