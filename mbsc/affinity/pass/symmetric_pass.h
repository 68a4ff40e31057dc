// SPDX-License-Identifier: Apache-2.0
// One symmetric pass over all pairs of points: each kernel value is evaluated once and used for both of its points.
//     pair_ring.h           the order of the pairs
//     tile_pass.h           what one rank computes: tiles and sums
//     strip_queue.h         how threads share this work
//     exchange_schedule.h   which rank needs which columns, and when
//     column_exchange.h     the messages between ranks
// The rows stay on their rank. A rank receives the columns of other ranks block by block, so it holds only a few of
// their blocks at a time.
// Cost: about n^2/2 kernel values over all ranks.
#pragma once

#include <cstdint>
#include <functional>

#include "mbsc/affinity/pass/pass_input.h"
#include "mbsc/options.h"

namespace mbsc {

/// The number of turns in a strip. The packed columns of two strips are in memory at a time. The number of turns is
/// chosen so that they take a few MiB.
int64_t turns_together(const RowBlocks& blocks, int64_t features, int64_t bytes_of_value);

/// Runs a pass and returns the number of kernel values that this rank has evaluated. After a stop request the sums are
/// incomplete. The calling thread calls `progress` with the share of the pass that is done. Collective.
template <class T, class Sum>
int64_t run_symmetric_pass(const PassInput<T, Sum>& input, int threads, const StopToken& stop,
                           const std::function<void(double)>& progress = {});

}  // namespace mbsc
