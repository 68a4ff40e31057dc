// SPDX-License-Identifier: Apache-2.0
// The threads of parallel_for(). They start when first needed and sleep when there is no work.
//
// Why not OpenMP: its threads spin while they wait. If the machine runs other work, spinning threads take cores away
// from threads that have work to do (a run of one second took a minute). OMP_WAIT_POLICY avoids this, but it must be in
// the environment before the process starts. Here a thread polls for work for about ten microseconds and then sleeps.
//
// Several threads may start loops at the same time; they share the workers. Each caller also works on its own loop and
// never waits for a worker that has not joined the loop. A nested loop runs on the calling thread. After a fork the
// child process starts its own threads.
#pragma once

#include <cstdint>

namespace mbsc {

/// Runs one loop: calls body(context, i) for every i in [0, count), in any order, on the calling thread and up to
/// threads - 1 other threads. Returns when all calls are done. `body` must not throw.
void run_on_threads(int threads, int64_t count, void (*body)(void* context, int64_t i), void* context);

/// Whether the calling thread is working on a loop of run_on_threads() that uses more than one thread.
bool inside_parallel_loop();

/// The default number of threads: OMP_NUM_THREADS if it is set. Otherwise the number of CPUs that this process may use
/// (by its affinity mask and by the quota of its control group, cpu.max), divided by `sharing`, the number of processes
/// that share them; at least one.
int default_threads(int sharing = 1);

/// The CPU quota of the control groups, in CPUs, rounded up; 0 = none. For tests, `root` is put before /proc and /sys.
int control_group_cpus(const char* root = "");

}  // namespace mbsc
