// SPDX-License-Identifier: Apache-2.0
#include "mbsc/linalg/row_balance.h"

namespace mbsc {

RowBalance::RowBalance(const Comm& comm, int64_t given) : comm_(&comm) {
  for (const int64_t rows : comm.gather<int64_t>(std::span<const int64_t>(&given, 1))) {
    given_.push_back({n_, n_ + rows});
    n_ += rows;
  }
  const RowBlocks blocks(n_);
  for (int rank = 0; rank < comm.size(); ++rank) {
    const Range share = blocks.rows_of(blocks.blocks_of_rank(rank, comm.size())), have = given_[size_t(rank)];
    shares_.push_back(share);
    if (share.size() != have.size() || (share.size() > 0 && share.begin != have.begin)) balanced_ = false;
  }
}

}  // namespace mbsc
