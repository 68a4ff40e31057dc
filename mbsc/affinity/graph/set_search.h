// SPDX-License-Identifier: Apache-2.0
// Searches sets of points for near pairs, over ranks. Each set is searched by one rank, its worker. The owners of the
// points of a set send them to the worker. The worker searches the set and returns the lists that it found, and the owners
// merge them into their own lists. A list holds the nearest of all candidates that it was offered, so the result does not
// depend on the number of ranks.
//
// The sets are searched in batches, so that a worker holds about as many points as it owns.
// Memory: in a batch, the points of the worker's sets, their lists, and a copy of both while they are exchanged.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "mbsc/affinity/graph/near_lists.h"
#include "mbsc/affinity/graph/partition.h"
#include "mbsc/options.h"

namespace mbsc {

struct SearchSet {
  Members own;       ///< the numbers of the own points of this set, ascending
  int64_t size = 0;  ///< over all ranks
  int worker = 0;
};

/// The sets of a batch that this rank searches. The members are rows of `lists`, ascending.
struct SetBatch {
  NearLists& lists;
  std::vector<int32_t> point_of;  ///< the number of each row of `lists`; ascending. Empty: the row itself
  std::vector<int64_t> numbers;   ///< the index of each set among all sets
  std::vector<Members> members;   ///< of each set
};

/// Calls search(batch) for each batch, and merges the lists. `lists` has the lists of the own points. If rank 0 is asked
/// to stop, Stopped is thrown on all ranks between two batches. Collective.
void search_sets(const OwnPoints& points, std::vector<SearchSet> sets, const StopToken& stop,
                 const std::function<void(SetBatch& batch)>& search, NearLists& lists);

}  // namespace mbsc
