// SPDX-License-Identifier: Apache-2.0
#include "mbsc/comm/thread_comm.h"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <tuple>

namespace mbsc {
namespace {

/// Thrown in a rank that waits for a failed rank.
struct Abandoned : std::runtime_error {
  Abandoned() : std::runtime_error("another rank failed") {}
};

/// The messages of one channel from one rank to another, numbered in the order of sends and of receives.
struct Line {
  int64_t sent = 0, asked_for = 0;
  std::map<int64_t, std::vector<std::byte>> waiting;
};

/// The state shared by the threads: one slot per rank, a barrier that a failure breaks, and messages.
struct Meeting {
  explicit Meeting(int size_) : size(size_), slots(size_) {}

  void wait() {
    std::unique_lock lock(mutex);
    if (broken) throw Abandoned();
    const int64_t mine = generation;
    if (++arrived == size) {
      arrived = 0;
      ++generation;
      changed.notify_all();
      return;
    }
    changed.wait(lock, [&] { return generation != mine || broken; });
    if (generation == mine) throw Abandoned();
  }
  void fail() {
    const std::lock_guard lock(mutex);
    broken = true;
    changed.notify_all();
  }

  const int size;
  std::vector<std::span<const std::byte>> slots;
  std::map<std::tuple<int, int, int>, Line> lines;  ///< from, to, channel
  std::mutex mutex;
  std::condition_variable changed;
  int arrived = 0;
  int64_t generation = 0;
  bool broken = false;
};

class ThreadComm final : public Comm {
 public:
  ThreadComm(Meeting& meeting, int rank) : meeting_(meeting), rank_(rank) {}
  int rank() const override { return rank_; }
  int size() const override { return meeting_.size; }

 protected:
  std::vector<std::byte> gather_bytes(std::span<const std::byte> mine) const override {
    std::vector<std::byte> all;
    with_slots(mine, [&] {
      for (const auto& slot : meeting_.slots) all.insert(all.end(), slot.begin(), slot.end());
    });
    return all;
  }
  void broadcast_bytes(std::span<std::byte> bytes, int root) const override {
    with_slots(bytes, [&] {
      if (rank_ != root) std::ranges::copy(meeting_.slots[root], bytes.begin());
    });
  }
  std::unique_ptr<Pending> start_send_bytes(std::span<const std::byte> bytes, int to, int channel) const override {
    const std::lock_guard lock(meeting_.mutex);
    Line& line = meeting_.lines[{rank_, to, channel}];
    line.waiting[line.sent].assign(bytes.begin(), bytes.end());
    meeting_.changed.notify_all();
    return std::make_unique<Send>(meeting_, line, line.sent++);
  }
  std::unique_ptr<Pending> start_receive_bytes(std::span<std::byte> bytes, int from, int channel) const override {
    const std::lock_guard lock(meeting_.mutex);
    Line& line = meeting_.lines[{from, rank_, channel}];
    meeting_.changed.notify_all();
    return std::make_unique<Receive>(meeting_, line, line.asked_for++, bytes);
  }

 private:
  /// Completes when the receive has started, as MPI does for long messages. This is on purpose: code that wrongly
  /// relies on buffering then hangs in the tests.
  struct Send final : Pending {
    Send(Meeting& meeting_in, Line& line_in, int64_t number_in)
        : meeting(meeting_in), line(line_in), number(number_in) {}
    void wait() override {
      std::unique_lock lock(meeting.mutex);
      meeting.changed.wait(lock, [&] { return line.asked_for > number || meeting.broken; });
      if (line.asked_for <= number) throw Abandoned();
    }
    Meeting& meeting;
    const Line& line;
    const int64_t number;
  };
  struct Receive final : Pending {
    Receive(Meeting& meeting_in, Line& line_in, int64_t number_in, std::span<std::byte> to_in)
        : meeting(meeting_in), line(line_in), number(number_in), to(to_in) {}
    void wait() override {
      std::unique_lock lock(meeting.mutex);
      meeting.changed.wait(lock, [&] { return line.waiting.count(number) > 0 || meeting.broken; });
      const auto found = line.waiting.find(number);
      if (found == line.waiting.end()) throw Abandoned();
      if (found->second.size() != to.size()) throw std::logic_error("sender and receiver do not agree on the size");
      std::copy(found->second.begin(), found->second.end(), to.begin());
      line.waiting.erase(found);
    }
    Meeting& meeting;
    Line& line;
    const int64_t number;
    const std::span<std::byte> to;
  };

  /// Publishes `mine`, waits for all ranks, reads, and waits until all have read.
  template <class Read>
  void with_slots(std::span<const std::byte> mine, Read&& read) const {
    meeting_.slots[rank_] = mine;
    meeting_.wait();
    read();
    meeting_.wait();
  }

  Meeting& meeting_;
  int rank_;
};

}  // namespace

void run_as_ranks(int size, const std::function<void(const Comm&)>& body) {
  Meeting meeting(size);
  std::vector<std::exception_ptr> errors(size);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < size; ++rank) {
    threads.emplace_back([&, rank] {
      try {
        body(ThreadComm(meeting, rank));
      } catch (const Abandoned&) {
        // The rank that failed reports the reason.
      } catch (...) {
        errors[rank] = std::current_exception();
        meeting.fail();
      }
    });
  }
  for (auto& thread : threads) thread.join();
  for (const auto& error : errors)
    if (error) std::rethrow_exception(error);
}

}  // namespace mbsc
