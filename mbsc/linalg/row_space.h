// SPDX-License-Identifier: Apache-2.0
// RowSpace: the distribution of the rows of tall matrices. The n rows form fixed blocks. This rank owns a contiguous
// range of blocks, and its threads share them. Every tall-skinny routine takes a RowSpace.
#pragma once

#include <cstdint>

#include "mbsc/base/parallel.h"
#include "mbsc/base/row_blocks.h"
#include "mbsc/comm.h"

namespace mbsc {

class RowSpace {
 public:
  RowSpace() : RowSpace(0, 1) {}
  RowSpace(int64_t n, int threads, const Comm& comm = serial_comm())
      : blocks_(n), own_blocks_(blocks_.blocks_of_rank(comm.rank(), comm.size())), threads_(threads), comm_(&comm) {}

  int64_t n() const { return blocks_.n(); }
  const RowBlocks& blocks() const { return blocks_; }
  int threads() const { return threads_; }
  const Comm& comm() const { return *comm_; }
  /// The blocks and the (global) rows that this rank owns.
  Range own_blocks() const { return own_blocks_; }
  Range own_rows() const { return blocks_.rows_of(own_blocks_); }
  int64_t local_rows() const { return own_rows().size(); }
  /// The rank that owns a (global) row.
  int rank_of_row(int64_t row) const { return blocks_.rank_of_block(blocks_.block_of(row), comm_->size()); }

  /// Calls body(block, rows) once for every own block. `rows` are local: row 0 is the first row of this rank. Uses
  /// threads if there is enough work for them. `operations_per_row` is a rough estimate of the work.
  template <class Body>
  void for_each_block(Body&& body, double operations_per_row = 64) const {
    const int64_t first = own_rows().begin;
    const int threads = worthwhile_threads(threads_, operations_per_row * static_cast<double>(own_rows().size()));
    parallel_for(threads, own_blocks_.size(), [&](int64_t b) {
      const Range rows = blocks_.block(own_blocks_.begin + b);
      body(own_blocks_.begin + b, Range{rows.begin - first, rows.end - first});
    });
  }

 private:
  RowBlocks blocks_;
  Range own_blocks_;
  int threads_;
  const Comm* comm_;
};

}  // namespace mbsc
