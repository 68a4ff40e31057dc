// SPDX-License-Identifier: Apache-2.0
// The threads of parallel_for(). They start when first needed and sleep when there is no work.
//
// Why not OpenMP: its threads spin while they wait. If the machine runs other work, they take the cores away from
// threads that have work to do (a run of one second took a minute). The remedy, OMP_WAIT_POLICY, must be in the
// environment before the process starts. Here a thread polls for work for about ten microseconds and then sleeps.
//
// Any number of threads may call at once. They share the workers. Each caller also works on its own loop and never
// waits for a worker that has not started. A nested loop runs on the calling thread. After a fork the child starts its
// own threads.
#pragma once

#include <cstdint>

namespace mbsc {

/// Runs one loop: calls body(context, i) for every i in [0, count), in any order, on the calling thread and up to
/// threads - 1 other threads. Returns when all calls are done. `body` must not throw.
void run_on_threads(int threads, int64_t count, void (*body)(void* context, int64_t i), void* context);

/// Whether this thread is inside such a loop.
bool inside_parallel_loop();

/// The default number of threads: OMP_NUM_THREADS if set. Otherwise the CPUs this process may use (by its affinity
/// mask and by the quota of its control group, cpu.max), divided among the processes that share them, at least one.
int default_threads(int sharing = 1);

/// The CPU quota of the control groups, rounded up; 0 = none. `root` is put before /proc and /sys (for tests).
int control_group_cpus(const char* root = "");

}  // namespace mbsc
