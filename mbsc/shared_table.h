// SPDX-License-Identifier: Apache-2.0
// A file that ranks read together: each its own rows, as the blocks want them (linalg/row_balance.h).
//     npy                by offset
//     plain text         by bytes; a few rows then change hands
//     compressed         counted by rank 0, then streamed by everybody up to its own rows
//     standard input     read by rank 0, and handed out
#pragma once

#include "mbsc/comm/comm.h"
#include "mbsc/io/read.h"

namespace mbsc {

struct SharedTable {
  Table own;      ///< the rows of this rank; first_row says where they are in the whole
  int64_t n = 0;  ///< rows of all
};

/// Collective. What is wrong with a file is thrown on every rank: the first of what they found.
SharedTable read_shared_table(const std::string& path, const ReadOptions& options, const Comm& comm);

/// Everybody's values, by rank, on rank 0; nothing elsewhere. Collective.
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
