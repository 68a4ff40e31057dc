// SPDX-License-Identifier: Apache-2.0
// The fixed blocks of rows that make "same seed, same bits" possible. The block size depends only on n, never on
// threads, ranks or the machine. Threads process one block at a time. A sum over rows adds the partial sums of the
// blocks (linalg/reduce.h). A rank owns whole blocks.
#pragma once

#include <algorithm>
#include <cstdint>

#include "mbsc/input.h"

namespace mbsc {

class RowBlocks {
 public:
  RowBlocks() = default;
  explicit RowBlocks(int64_t n) : n_(n), block_rows_(rows_per_block(n)) {}

  int64_t n() const { return n_; }
  int64_t block_rows() const { return block_rows_; }
  int64_t count() const { return (n_ + block_rows_ - 1) / block_rows_; }
  /// The rows of block b.
  Range block(int64_t b) const { return {b * block_rows_, std::min(n_, (b + 1) * block_rows_)}; }
  int64_t block_of(int64_t row) const { return row / block_rows_; }
  /// The blocks of one rank. They are contiguous, and the ranks have as equal numbers of blocks as possible. If there
  /// are more ranks than blocks, some ranks have none.
  Range blocks_of_rank(int rank, int ranks) const { return {count() * rank / ranks, count() * (rank + 1) / ranks}; }
  /// The rank that owns block b: the last rank whose first block is b or earlier.
  int rank_of_block(int64_t b, int ranks) const { return int(((b + 1) * ranks - 1) / count()); }
  /// The rows of a range of blocks.
  Range rows_of(Range blocks) const {
    return {std::min(n_, blocks.begin * block_rows_), std::min(n_, blocks.end * block_rows_)};
  }

 private:
  // Blocks are large enough that packing a block is cheap compared with multiplying two blocks,
  // and small enough that many threads have work.
  static int64_t rows_per_block(int64_t n) {
    if (n <= 2048) return 64;
    if (n <= 8192) return 256;
    if (n <= 32768) return 512;
    if (n <= 262144) return 1024;
    return 2048;
  }

  int64_t n_ = 0;
  int64_t block_rows_ = 1;
};

}  // namespace mbsc
