// SPDX-License-Identifier: Apache-2.0
// The threads of parallel_for(): started when first needed, asleep when there is nothing to do.
//
// Why not OpenMP: its threads spin while they wait. Beside other work that takes the cores from whoever has
// something to do (a run of one second took a minute), and the way out, OMP_WAIT_POLICY, must be in the environment
// before the process starts. Here a thread looks for work for some ten microseconds and then sleeps.
// Any number of threads may call at once; they share the workers, each works on its own loop itself and never waits
// for a worker that has not begun. A loop inside a loop runs on the thread that is there. After a fork the child
// starts its own.
#pragma once

#include <cstdint>

namespace mbsc {

/// One loop: calls body(context, i) for every i in [0, count), in any order, on this and up to threads - 1 other
/// threads; returns when all are done. `body` must not throw.
void run_on_threads(int threads, int64_t count, void (*body)(void* context, int64_t i), void* context);

/// Whether this thread is inside such a loop.
bool inside_parallel_loop();

/// How many threads a run takes unless told: OMP_NUM_THREADS; else the CPUs this process may use, by its affinity mask
/// and by the quota of its control group (cpu.max), divided among the processes that share them, at least one.
int default_threads(int sharing = 1);

/// The quota of control groups in CPUs, rounded up; 0 = none. `root` is where /proc and /sys are (for tests).
int control_group_cpus(const char* root = "");

}  // namespace mbsc
