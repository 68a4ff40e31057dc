// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "mbsc/base/stopwatch.h"
#include "mbsc/solvers/solver.h"

namespace mbsc {

/// Limits on passes, iterations and seconds. The first limit that is reached ends the run. All ranks use the clock of
/// rank 0.
class Budget {
 public:
  /// `safety_net`: the limits on passes and iterations only prevent an endless run. If there is no limit on seconds
  /// either, fraction() is NaN.
  Budget(int64_t n, const Limits& limits, std::optional<double> passes, const Comm& comm, bool safety_net = false)
      : columns_(passes && *passes * double(n) < 9e18 ? std::max<int64_t>(1, std::llround(*passes * double(n)))
                                                      : std::numeric_limits<int64_t>::max()),
        iterations_(limits.iterations.value_or(std::numeric_limits<int64_t>::max())),
        seconds_(limits.seconds.value_or(std::numeric_limits<double>::infinity())),
        safety_net_(safety_net),
        comm_(comm) {}

  bool spent(int64_t columns, int64_t iterations) const {
    if (columns >= columns_ || iterations >= iterations_) return true;
    return std::isfinite(seconds_) && comm_.broadcast<int>(clock_.seconds() >= seconds_) != 0;
  }
  /// The spent share of the budget; NaN if only a tolerance ends the run.
  double fraction(int64_t columns, int64_t iterations) const {
    double share = -1;
    if (safety_net_ && !std::isfinite(seconds_)) return std::numeric_limits<double>::quiet_NaN();
    if (columns_ < std::numeric_limits<int64_t>::max()) share = std::max(share, double(columns) / double(columns_));
    if (iterations_ < std::numeric_limits<int64_t>::max())
      share = std::max(share, double(iterations) / double(iterations_));
    if (std::isfinite(seconds_)) share = std::max(share, clock_.seconds() / seconds_);
    return share < 0 ? std::numeric_limits<double>::quiet_NaN() : std::min(1.0, share);
  }
  double seconds() const { return clock_.seconds(); }

 private:
  Stopwatch clock_;
  int64_t columns_;
  int64_t iterations_;
  double seconds_;
  bool safety_net_;
  const Comm& comm_;
};

/// Adds an entry to the trace of `pairs` and calls the observer. Returns false if the run should end.
template <class T>
bool observe(const ClusterOptions& options, const Observer<T>& observer, const Progress<T>& progress, double seconds,
             EigenPairs<T>& pairs) {
  pairs.trace.push_back({progress.iteration, progress.passes, progress.objective, seconds});
  return (!observer || observer(progress)) && !options.stop.stop_requested();
}

}  // namespace mbsc
