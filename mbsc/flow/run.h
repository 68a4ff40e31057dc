// SPDX-License-Identifier: Apache-2.0
// Run: the stop requests, stage times, progress and traffic of one call of cluster(). (The limit `seconds` is in
// solvers/budget.h.)
//
// A single process checks its stop token at every tile. Ranks must stop together: they check only between products, and
// rank 0 decides for all.
#pragma once

#include <atomic>

#include "mbsc/base/stopwatch.h"
#include "mbsc/cluster.h"

namespace mbsc {

class Run {
 public:
  /// The communicator, the flag of the token and the observer must outlive this object.
  Run(const Comm& comm, const StopToken& asked, const StageObserver& observer)
      : comm_(comm), asked_(asked.or_when(observer_stops_)), observer_(observer), traffic_before_(comm.traffic()) {}
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  /// The token for products: empty if ranks must stop together.
  StopToken stop() const { return comm_.size() == 1 ? asked_ : StopToken(); }

  /// Calls the observer. Returns false if this rank is asked to stop.
  bool report(const Stage& stage) {
    if (observer_ && !observer_(stage)) observer_stops_ = true;
    return !asked_.stop_requested();
  }
  /// Like report(), but all ranks get the result of rank 0. Collective.
  bool report_together(const Stage& stage) { return comm_.broadcast<int>(report(stage)) != 0; }
  /// Throws Stopped on all ranks if rank 0 is asked to stop. Collective.
  void stop_together() const {
    if (comm_.broadcast<int>(asked_.stop_requested()) != 0) throw Stopped();
  }

  /// Adds the seconds of its lifetime to a number.
  class Clock {
   public:
    explicit Clock(double& seconds) : seconds_(seconds) {}
    ~Clock() { seconds_ += watch_.seconds(); }
    Clock(const Clock&) = delete;
    Clock& operator=(const Clock&) = delete;

   private:
    double& seconds_;
    Stopwatch watch_;
  };

  /// The traffic that this rank has received since the run began.
  Traffic traffic() const {
    const Traffic now = comm_.traffic();
    return {now.messages - traffic_before_.messages, now.bytes - traffic_before_.bytes};
  }

 private:
  const Comm& comm_;
  std::atomic<bool> observer_stops_{false};
  const StopToken asked_;
  const StageObserver& observer_;
  const Traffic traffic_before_;
};

}  // namespace mbsc
