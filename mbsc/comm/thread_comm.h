// SPDX-License-Identifier: Apache-2.0
// Ranks as threads of one process: distributed code tested without MPI. The same test bodies run over MPI.
#pragma once

#include <functional>

#include "mbsc/comm/comm.h"

namespace mbsc {

/// Runs `body` once per rank, each on its own thread, and waits for all. An exception on one rank wakes the
/// others out of their collectives and is rethrown here: the first one thrown, by rank.
void run_as_ranks(int size, const std::function<void(const Comm&)>& body);

}  // namespace mbsc
