// SPDX-License-Identifier: Apache-2.0
// The largest entries of every row of A, which the degree pass leaves behind for little: a sparse graph. Where a kernel
// is narrow, this graph tells the leading eigenvectors nearly, and no sample of columns does (solvers/graph_start.h).
//
// Each row has room for 2t entries and a threshold; an entry above it is put in, and where the row is full the t
// largest stay and the least of them is the new threshold. So about t (1 + ln(n/t)) entries of a row are ever put in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mbsc/base/aligned.h"
#include "mbsc/linalg/row_exchange.h"

namespace mbsc {

/// Symmetric, without a diagonal; own rows in compressed form, columns ascending by their global number.
struct NeighborGraph {
  std::vector<int64_t> starts;   ///< own rows + 1
  std::vector<int32_t> columns;  ///< own rows by their local number, behind them those of other ranks, as in `others`
  std::vector<float> values;     ///< a_ij
  RowExchange others;
  int64_t rows() const { return int64_t(starts.size()) - 1; }
};

/// How many entries of a row are worth keeping at n points: 16, or none where their buffers would take over 512 MiB.
int64_t neighbors_kept(int64_t n);

template <class T>
class LargestEntries {
 public:
  LargestEntries() = default;
  LargestEntries(int64_t rows, int64_t each);

  int64_t each() const { return each_; }
  /// The threshold of each row; infinity in the padding behind the last.
  const T* least() const { return least_.data(); }
  /// By one thread at a time for any one row.
  void offer(int64_t row, int64_t column, T value);

  /// Begins anew, with thresholds of rows [first, first + rows) of another one: for what is above them.
  void begin(const LargestEntries& other, int64_t first, int64_t rows);
  /// Offers what another one has found of rows [first, ...), in the order of its columns. What comes of it does not
  /// depend on the thresholds that the other one began with, as long as they were not above those here.
  void merge(LargestEntries& other, int64_t first);

  /// From now on only what is above the thresholds of another list of the same rows, which `merge` will bring together
  /// with this one.
  void raise(const LargestEntries& other, int64_t first, int64_t rows);

  /// What there is of rows [first, first + rows), as bytes for another rank.
  int64_t state_bytes(int64_t rows) const;
  void write_state(int64_t first, int64_t rows, std::byte* to) const;
  void read_state(int64_t first, int64_t rows, const std::byte* from);

  /// Entry (i, j) is an edge where it is among the largest of row i or of row j. Rows are those of the space;
  /// collective.
  NeighborGraph graph(const RowSpace& space);

 private:
  struct Entry {
    float value;
    int32_t column;
  };
  void shrink(int64_t row);

  int64_t rows_ = 0, each_ = 0;
  AlignedVector<T> least_;
  std::vector<Entry> entries_;
  std::vector<int32_t> counts_;
};

}  // namespace mbsc
