// SPDX-License-Identifier: Apache-2.0
// The fixed blocks of rows on which "same seed, same bits" rests. The size of a block depends on n alone:
// never on threads, ranks or the machine. Work is handed out by block, sums over rows are sums of block
// partials (linalg/reduce.h), and the boundaries between ranks are boundaries between blocks.
#pragma once

#include <algorithm>
#include <cstdint>

namespace mbsc {

/// A half-open range of rows (or of blocks).
struct Range {
  int64_t begin = 0;
  int64_t end = 0;
  int64_t size() const { return end - begin; }
  bool contains(int64_t i) const { return begin <= i && i < end; }
};

class RowBlocks {
 public:
  RowBlocks() = default;
  explicit RowBlocks(int64_t n) : n_(n), block_rows_(rows_per_block(n)) {}

  int64_t n() const { return n_; }
  int64_t block_rows() const { return block_rows_; }
  int64_t count() const { return (n_ + block_rows_ - 1) / block_rows_; }
  /// Rows of block b.
  Range block(int64_t b) const { return {b * block_rows_, std::min(n_, (b + 1) * block_rows_)}; }
  int64_t block_of(int64_t row) const { return row / block_rows_; }
  /// Blocks of one rank: contiguous, as equal as they can be; empty when there are more ranks than blocks.
  Range blocks_of_rank(int rank, int ranks) const { return {count() * rank / ranks, count() * (rank + 1) / ranks}; }
  /// The rank that holds block b: the last one whose blocks begin at b or before.
  int rank_of_block(int64_t b, int ranks) const { return int(((b + 1) * ranks - 1) / count()); }
  /// Rows of a range of blocks.
  Range rows_of(Range blocks) const {
    return {std::min(n_, blocks.begin * block_rows_), std::min(n_, blocks.end * block_rows_)};
  }

 private:
  // Large enough that packing a block costs little beside multiplying two of them,
  // small enough that there is work for many threads.
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
