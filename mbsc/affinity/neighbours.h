// SPDX-License-Identifier: Apache-2.0
// The largest entries of every row of A, which the degree pass leaves behind for little: a sparse graph. Where a kernel
// is narrow, this graph tells the leading eigenvectors nearly, and no sample of columns does (solvers/graph_start.h).
//
// Each row has room for 2t entries and a threshold; an entry above it is put in, and where the row is full the t
// largest stay and the least of them is the new threshold. So about t (1 + ln(n/t)) entries of a row are ever put in.
#pragma once

#include <cstdint>
#include <vector>

#include "mbsc/base/aligned.h"

namespace mbsc {

/// Symmetric, without a diagonal; rows in compressed form, columns ascending.
struct NeighbourGraph {
  std::vector<int64_t> starts;   ///< n + 1
  std::vector<int32_t> columns;
  std::vector<float> values;     ///< a_ij
  int64_t n() const { return int64_t(starts.size()) - 1; }
};

/// How many entries of a row are worth keeping at n points: 16, or none where their buffers would take over 256 MiB.
int64_t neighbours_kept(int64_t n);

template <class T>
class LargestEntries {
 public:
  LargestEntries(int64_t rows, int64_t each);
  /// The threshold of each row; infinity in the padding behind the last.
  const T* least() const { return least_.data(); }
  /// By one thread at a time for any one row.
  void offer(int64_t row, int64_t column, T value);
  /// Entry (i, j) is an edge where it is among the largest of row i or of row j.
  NeighbourGraph graph();

 private:
  struct Entry {
    float value;
    int32_t column;
  };
  void shrink(int64_t row);

  int64_t rows_, each_;
  AlignedVector<T> least_;
  std::vector<Entry> entries_;
  std::vector<int32_t> counts_;
};

}  // namespace mbsc
