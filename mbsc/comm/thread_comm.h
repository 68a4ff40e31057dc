// SPDX-License-Identifier: Apache-2.0
// Ranks as threads of one process, to test distributed code without MPI. The same test bodies also run over MPI.
#pragma once

#include <functional>

#include "mbsc/comm.h"

namespace mbsc {

/// Runs `body` once per rank, each on its own thread, and waits for all. An exception on one rank aborts the
/// collectives and messages of the others, and is rethrown here. If several ranks throw, the exception of the lowest
/// rank wins.
void run_as_ranks(int size, const std::function<void(const Comm&)>& body);

}  // namespace mbsc
