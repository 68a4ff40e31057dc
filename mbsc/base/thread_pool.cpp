// SPDX-License-Identifier: Apache-2.0
#include "mbsc/base/thread_pool.h"

#include <pthread.h>
#if defined(__linux__)
#include <sched.h>
#endif

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cmath>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <mutex>
#include <sstream>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

namespace mbsc {
namespace {

thread_local bool inside = false;  ///< this thread is working on a Loop

/// Polls `ready` for about ten microseconds: it often becomes true in this time, so the thread need not sleep.
template <class Ready>
void wait_a_little(const Ready& ready) {
  for (int i = 0; i < 500 && !ready(); ++i) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
  }
}

/// One call of run_on_threads().
struct Loop {
  Loop(int64_t count_, void (*body_)(void*, int64_t), void* context_, int helpers)
      : count(count_), body(body_), context(context_), wanted(helpers) {}

  void work() {
    inside = true;
    for (int64_t i = next.fetch_add(1, std::memory_order_relaxed); i < count;
         i = next.fetch_add(1, std::memory_order_relaxed))
      body(context, i);
    inside = false;
  }

  const int64_t count;
  void (*const body)(void*, int64_t);
  void* const context;
  std::atomic<int64_t> next{0};
  int wanted;                   ///< the number of workers that may still join; guarded by the pool's mutex
  std::atomic<int> working{0};  ///< the number of workers that have joined and not left; written under the mutex
  std::condition_variable finished;
};

class ThreadPool {
 public:
  static ThreadPool& instance() {
    static std::once_flag once;
    std::call_once(once, [] {
      current = new ThreadPool;
      // After a fork the child needs a new pool: it has none of the threads, and its copy of the mutex may be locked.
      pthread_atfork(nullptr, nullptr, [] {
        current = new ThreadPool;
        inside = false;
      });
    });
    return *current;
  }

  void run(Loop& loop) {
    const int helpers = loop.wanted;
    {
      const std::lock_guard lock(mutex_);
      start_workers(helpers);
      loops_.push_back(&loop);
      posted_.fetch_add(1, std::memory_order_relaxed);
    }
    for (int i = 0; i < helpers; ++i) work_.notify_one();
    loop.work();
    {
      const std::lock_guard lock(mutex_);
      loop.wanted = 0;  // no more workers may join
      loops_.erase(std::find(loops_.begin(), loops_.end(), &loop));
    }
    const auto done = [&] { return loop.working.load(std::memory_order_acquire) == 0; };
    wait_a_little(done);
    // Lock the mutex even if all workers are done: the last one still uses `finished` until it releases the mutex.
    std::unique_lock lock(mutex_);
    loop.finished.wait(lock, done);
  }

 private:
  /// Starts as many workers as the system allows. With fewer workers, or none, loops only take longer.
  void start_workers(int count) {
    while (workers_ < count) {
      try {
        std::thread([this] { serve(); }).detach();
      } catch (const std::system_error&) {
        return;
      }
      ++workers_;
    }
  }

  [[noreturn]] void serve() {
    uint64_t seen = 0;
    while (true) {
      wait_a_little([&] { return posted_.load(std::memory_order_relaxed) != seen; });
      std::unique_lock lock(mutex_);
      Loop* loop = nullptr;
      work_.wait(lock, [&] {
        const auto open = std::find_if(loops_.begin(), loops_.end(), [](const Loop* l) { return l->wanted > 0; });
        if (open != loops_.end()) loop = *open;
        return loop != nullptr;
      });
      seen = posted_.load(std::memory_order_relaxed);
      --loop->wanted;
      loop->working.fetch_add(1, std::memory_order_relaxed);
      lock.unlock();
      loop->work();
      lock.lock();
      if (loop->working.fetch_sub(1, std::memory_order_release) == 1) loop->finished.notify_one();
    }
  }

  // The pool is never destroyed, because its threads may still use it when the process ends.
  static ThreadPool* current;

  std::mutex mutex_;
  std::condition_variable work_;
  std::vector<Loop*> loops_;
  std::atomic<uint64_t> posted_{0};
  int workers_ = 0;
};

ThreadPool* ThreadPool::current = nullptr;

/// The number of CPUs that a control group may use: quota / period; 0 = no quota. The two numbers are in one file
/// (cpu.max) or in a file each.
double read_quota(const std::string& folder) {
  std::string quota;
  double period = 0;
  if (std::ifstream file(folder + "/cpu.max"); file >> quota >> period) {
    if (quota == "max") return 0;
  } else {
    std::ifstream first(folder + "/cpu.cfs_quota_us"), second(folder + "/cpu.cfs_period_us");
    if (!(first >> quota) || !(second >> period)) return 0;
  }
  double value = 0;
  const auto [end, error] = std::from_chars(quota.data(), quota.data() + quota.size(), value);
  return error == std::errc() && value > 0 && period > 0 ? value / period : 0;
}

}  // namespace

void run_on_threads(int threads, int64_t count, void (*body)(void* context, int64_t i), void* context) {
  const int helpers = int(std::min<int64_t>(threads, count)) - 1;
  if (helpers <= 0 || inside) {
    for (int64_t i = 0; i < count; ++i) body(context, i);
    return;
  }
  Loop loop(count, body, context, helpers);
  ThreadPool::instance().run(loop);
}

bool inside_parallel_loop() { return inside; }

int control_group_cpus(const char* root) {
  double least = 0;
  std::ifstream groups(std::string(root) + "/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {  // "0::/path" or "4:cpu,cpuacct:/path"
    const size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    std::istringstream names(line.substr(first + 1, second - first - 1));
    bool unified = true, counts = false;
    for (std::string name; std::getline(names, name, ',');) {
      unified = false;
      counts |= name == "cpu";
    }
    if (!unified && !counts) continue;
    const std::string mount = std::string(root) + (unified ? "/sys/fs/cgroup" : "/sys/fs/cgroup/cpu");
    // The quotas of all parent groups apply as well. In a container, the path may be a path of the host that does not
    // exist here. The loop then still reads the root, which is the group of the container.
    for (std::string path = line.substr(second + 1);; path = path.substr(0, path.rfind('/'))) {
      if (const double quota = read_quota(mount + path); quota > 0) least = least > 0 ? std::min(least, quota) : quota;
      if (path.empty() || path.find('/') == std::string::npos) break;
    }
  }
  return int(std::ceil(std::min(least, 1e6)));
}

int default_threads(int sharing) {
  if (const char* text = std::getenv("OMP_NUM_THREADS")) {
    int asked = 0;
    std::from_chars(text, text + std::strlen(text), asked);  // the first number if it is a list
    if (asked > 0) return asked;
  }
  int cpus = int(std::thread::hardware_concurrency());
#if defined(__linux__)
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) cpus = CPU_COUNT(&set);
#endif
  if (const int quota = control_group_cpus(); quota > 0) cpus = std::min(cpus, quota);
  return std::max(1, cpus / sharing);
}

}  // namespace mbsc
