// SPDX-License-Identifier: Apache-2.0
// Collects values of all ranks on rank 0. (read_shared_table() is declared in mbsc/read.h.)
#pragma once

#include <span>
#include <vector>

#include "mbsc/comm.h"

namespace mbsc {

/// Returns the values of all ranks, in the order of the ranks, on rank 0, and nothing on the others. Collective.
template <class T>
std::vector<T> collect(const Comm& comm, std::span<const T> mine) {
  const auto size = int64_t(mine.size());
  const std::vector<int64_t> sizes = comm.gather<int64_t>(std::span<const int64_t>(&size, 1));
  if (comm.rank() != 0) {
    if (size > 0) comm.send(mine, 0);
    return {};
  }
  std::vector<T> all(mine.begin(), mine.end());
  for (int rank = 1; rank < comm.size(); ++rank) {
    const size_t before = all.size();
    all.resize(before + size_t(sizes[size_t(rank)]));
    if (sizes[size_t(rank)] > 0) comm.receive(std::span<T>(all).subspan(before), rank);
  }
  return all;
}

}  // namespace mbsc
