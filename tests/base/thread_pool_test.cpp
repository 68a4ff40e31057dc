// SPDX-License-Identifier: Apache-2.0
#include "mbsc/base/thread_pool.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <thread>
#include <vector>

#include "mbsc/base/parallel.h"

namespace mbsc {
namespace {

TEST(ParallelFor, CallsEveryIndexOnceForAnyNumberOfThreads) {
  for (const int threads : {1, 2, 3, 8, 33})
    for (const int64_t count : {0, 1, 2, 7, 1000}) {
      std::vector<std::atomic<int>> calls(static_cast<size_t>(count));
      parallel_for(threads, count, [&](int64_t i) { ++calls[size_t(i)]; });
      for (const auto& c : calls) EXPECT_EQ(c, 1);
    }
}

TEST(ParallelFor, OtherThreadsTakePart) {
  // Two calls that wait for each other can only finish on two threads.
  std::atomic<int> there{0};
  parallel_for(2, 2, [&](int64_t) {
    ++there;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (there < 2 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    EXPECT_EQ(there, 2);
  });
}

TEST(ParallelFor, NeverMoreThreadsThanAskedFor) {
  std::atomic<int> now{0}, most{0};
  parallel_for(8, 8, [](int64_t) {});  // starts more workers than the next loop may use
  parallel_for(3, 300, [&](int64_t) {
    const int here = ++now;
    int before = most;
    while (here > before && !most.compare_exchange_weak(before, here)) {
    }
    std::this_thread::sleep_for(std::chrono::microseconds(50));
    --now;
  });
  EXPECT_LE(most, 3);
}

TEST(ParallelFor, RethrowsAndIsUsableAfterwards) {
  for (int round = 0; round < 20; ++round) {
    EXPECT_THROW(parallel_for(4, 100,
                              [](int64_t i) {
                                if (i % 7 == 3) throw std::runtime_error("no");
                              }),
                 std::runtime_error);
    std::atomic<int64_t> sum{0};
    parallel_for(4, 100, [&](int64_t i) { sum += i; });
    EXPECT_EQ(sum, 4950);
  }
}

TEST(ParallelFor, ALoopInsideALoopRunsOnTheThreadThatIsThere) {
  std::atomic<int64_t> sum{0};
  EXPECT_FALSE(inside_parallel_loop());
  parallel_for(4, 8, [&](int64_t) {
    EXPECT_TRUE(inside_parallel_loop());
    const auto self = std::this_thread::get_id();
    parallel_for(4, 50, [&](int64_t i) {
      EXPECT_EQ(std::this_thread::get_id(), self);
      sum += i;
    });
    EXPECT_TRUE(inside_parallel_loop());
  });
  EXPECT_FALSE(inside_parallel_loop());
  EXPECT_EQ(sum, 8 * 1225);
}

TEST(ParallelFor, ManyThreadsMayCallAtOnce) {
  std::vector<std::thread> callers;
  std::atomic<int64_t> sum{0};
  for (int c = 0; c < 6; ++c)
    callers.emplace_back([&] {
      for (int round = 0; round < 300; ++round) parallel_for(3, 20, [&](int64_t i) { sum += i; });
    });
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(sum, 6 * 300 * 190);
}

TEST(ParallelFor, WorksInTheChildOfAFork) {
  parallel_for(4, 100, [](int64_t) {});
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(60);  // if the child hangs, a signal ends it and the test fails
    std::atomic<int64_t> sum{0};
    parallel_for(4, 100, [&](int64_t i) { sum += i; });
    _exit(sum == 4950 ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

TEST(ParallelFor, ThreadsSleepWhenThereIsNothingToDo) {
  parallel_for(4, 100, [](int64_t) {});
  const auto used = [] {  // CPU time of all threads of the process
    timespec t{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
  };
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const double before = used();
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_LT(used() - before, 0.03) << "one spinning thread would take 0.3";
}

/// Sets an environment variable and restores it afterwards.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old, had_ = true;
    value ? setenv(name, value, 1) : unsetenv(name);
  }
  ~Variable() { had_ ? setenv(name_, old_.c_str(), 1) : unsetenv(name_); }

 private:
  const char* name_;
  std::string old_;
  bool had_ = false;
};

TEST(DefaultThreads, AreThoseOfTheEnvironmentElseWhatTheProcessMayUse) {
  const auto with = [](const char* value) {
    const Variable variable("OMP_NUM_THREADS", value);
    return default_threads();
  };
  EXPECT_EQ(with("3"), 3);
  EXPECT_EQ(with("5,2"), 5);
  const int all = with(nullptr);
  EXPECT_GE(all, 1);
  EXPECT_LE(all, int(std::thread::hardware_concurrency()));
  for (const char* bad : {"", "0", "-2", "many"}) EXPECT_EQ(with(bad), all) << bad;
}

class ControlGroup : public ::testing::Test {
 protected:
  void SetUp() override {
    root_ = std::filesystem::temp_directory_path() / ("mbsc_cgroup_" + std::to_string(getpid()));
    std::filesystem::remove_all(root_);
  }
  void TearDown() override { std::filesystem::remove_all(root_); }
  void write(const std::string& path, const std::string& text) {
    const std::filesystem::path file = root_.string() + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  int cpus() const { return control_group_cpus(root_.c_str()); }
  std::filesystem::path root_;
};

TEST_F(ControlGroup, WithoutAQuotaThereIsNone) {
  EXPECT_EQ(cpus(), 0);
  write("/proc/self/cgroup", "0::/user.slice/a\n");
  EXPECT_EQ(cpus(), 0);
  write("/sys/fs/cgroup/user.slice/a/cpu.max", "max 100000\n");
  EXPECT_EQ(cpus(), 0);
  write("/sys/fs/cgroup/user.slice/a/cpu.max", "nonsense\n");
  EXPECT_EQ(cpus(), 0);
}

TEST_F(ControlGroup, TheSmallestQuotaOfItAndThoseAboveHoldsRoundedUp) {
  write("/proc/self/cgroup", "0::/user.slice/a\n");
  write("/sys/fs/cgroup/user.slice/a/cpu.max", "max 100000\n");
  write("/sys/fs/cgroup/user.slice/cpu.max", "250000 100000\n");
  EXPECT_EQ(cpus(), 3);
  write("/sys/fs/cgroup/user.slice/a/cpu.max", "50000 100000\n");
  EXPECT_EQ(cpus(), 1);
}

TEST_F(ControlGroup, InsideAContainerItsRootCounts) {
  write("/proc/self/cgroup", "0::/\n");
  write("/sys/fs/cgroup/cpu.max", "400000 100000\n");
  EXPECT_EQ(cpus(), 4);
  write("/proc/self/cgroup", "0::/a/path/of/the/host\n");
  EXPECT_EQ(cpus(), 4);
}

TEST_F(ControlGroup, OfTheFirstVersionToo) {
  write("/proc/self/cgroup", "9:memory:/docker/x\n4:cpu,cpuacct:/docker/x\n");
  write("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
  write("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(cpus(), 0);
  write("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "150000\n");
  EXPECT_EQ(cpus(), 2);
}

}  // namespace
}  // namespace mbsc
