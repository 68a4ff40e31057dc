// SPDX-License-Identifier: Apache-2.0
#include "interruptible.h"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <list>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace mbsc::python {
namespace {

namespace nb = nanobind;
using std::chrono::milliseconds;

constexpr milliseconds between_looks{50};
constexpr milliseconds patience{500};

/// One call, shared by the thread that works and the thread that waits.
class Job {
 public:
  Job(std::vector<nb::object> kept, bool observed) : kept_(std::move(kept)), observed_(observed) {}

  void start(Work work) {
    thread_ = std::thread([this, work = std::move(work)] {
      try {
        work(StopToken(stop_),
             observed_ ? StageObserver([this](const Stage& stage) { return ask(stage); }) : StageObserver());
      } catch (...) {
        error_ = std::current_exception();
      }
      const std::lock_guard lock(mutex_);
      done_ = true;
      changed_.notify_all();
    });
  }

  /// Waits, without the GIL, until the work is done, it calls the observer, or the time is over. Returns whether the
  /// work is done.
  bool wait(milliseconds time) {
    const nb::gil_scoped_release release;
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, time, [&] { return done_ || question_; });
    return done_;
  }
  std::optional<Stage> question() {
    const std::lock_guard lock(mutex_);
    return question_;
  }
  void answer(bool go_on) {
    const std::lock_guard lock(mutex_);
    question_.reset();
    answer_ = go_on;
    changed_.notify_all();
  }
  void stop() {
    stop_ = true;
    const std::lock_guard lock(mutex_);
    deaf_ = true;
    question_.reset();
    changed_.notify_all();
  }
  void join() {
    const nb::gil_scoped_release release;
    if (thread_.joinable()) thread_.join();
  }
  bool is_done() {
    const std::lock_guard lock(mutex_);
    return done_;
  }
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  bool ask(const Stage& stage) {
    std::unique_lock lock(mutex_);
    if (deaf_) return false;
    question_ = stage;
    changed_.notify_all();
    changed_.wait(lock, [&] { return deaf_ || !question_; });
    return !deaf_ && answer_;
  }

  std::vector<nb::object> kept_;
  const bool observed_;
  std::thread thread_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<Stage> question_;
  bool answer_ = true, done_ = false, deaf_ = false;
  std::atomic<bool> stop_{false};
  std::exception_ptr error_;
};

/// Jobs that still run although their caller has returned. Access requires the GIL. A child after fork() has none of
/// their threads, so it begins with an empty list.
std::list<std::unique_ptr<Job>>& abandoned() {
  static pid_t owner = 0;
  static std::list<std::unique_ptr<Job>>* jobs = nullptr;
  if (owner != getpid()) {
    owner = getpid();
    jobs = new std::list<std::unique_ptr<Job>>();
  }
  return *jobs;
}

void forget_finished() {
  for (auto job = abandoned().begin(); job != abandoned().end();) {
    if (!(*job)->is_done()) {
      ++job;
      continue;
    }
    (*job)->join();
    job = abandoned().erase(job);
  }
}

bool goes_on(const nb::object& observer, const Stage& s) {
  return !observer(s.name.c_str(), s.fraction, s.iteration, s.passes, s.objective, s.residual).is(nb::handle(Py_False));
}

/// Returns when the work is done; throws the exception of a signal handler or of the observer.
void attend(Job& job, const nb::object& observer) {
  while (!job.wait(between_looks)) {
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (const std::optional<Stage> stage = job.question()) job.answer(goes_on(observer, *stage));
  }
}

}  // namespace

void run_interruptible(nb::object observer, std::vector<nb::object> kept, Work work) {
  forget_finished();
  auto job = std::make_unique<Job>(std::move(kept), !observer.is_none());
  job->start(std::move(work));
  try {
    attend(*job, observer);
  } catch (...) {
    job->stop();
    if (job->wait(patience))
      job->join();
    else
      abandoned().push_back(std::move(job));
    throw;
  }
  job->join();
  job->rethrow();
}

void finish_abandoned() {
  for (const auto& job : abandoned()) job->join();
  abandoned().clear();
}

}  // namespace mbsc::python
