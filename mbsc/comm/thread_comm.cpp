// SPDX-License-Identifier: Apache-2.0
#include "mbsc/comm/thread_comm.h"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <thread>

namespace mbsc {
namespace {

/// Thrown into a rank that waits for one that has failed.
struct Abandoned : std::runtime_error {
  Abandoned() : std::runtime_error("another rank failed") {}
};

/// What the threads share: a board with one slot per rank, and a barrier that a failure breaks.
struct Meeting {
  explicit Meeting(int size_) : size(size_), slots(size_), targets(size_) {}

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
  std::vector<int> targets;
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
  void exchange_bytes(std::span<const std::byte> send, int to, std::span<std::byte> receive, int from) const override {
    meeting_.targets[rank_] = to;
    with_slots(send, [&] {
      if (meeting_.targets[from] != rank_ || meeting_.slots[from].size() != receive.size())
        throw std::logic_error("exchange: sender and receiver do not agree");
      std::ranges::copy(meeting_.slots[from], receive.begin());
    });
  }

 private:
  /// Shows `mine`, waits for all, reads, waits until all have read.
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
        // The rank that failed says why.
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
