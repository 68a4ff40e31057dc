// SPDX-License-Identifier: Apache-2.0
// The largest entries of each row of A, and the sparse graph that they form. The degree pass finds them at little extra
// cost. If a kernel is narrow, this graph determines the leading eigenvectors almost completely, while a sample of
// columns does not (solvers/minibatch/graph_start.h).
//
// To find the t largest entries, each row has a buffer of 2t entries and a threshold. An entry above the threshold is
// inserted. If the buffer is full, only its t largest entries are kept, and the smallest of these is the new threshold.
// If the entries come in random order, about t (1 + log2(n/t)) entries of a row are inserted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mbsc/base/aligned.h"
#include "mbsc/linalg/sparse_matrix.h"

namespace mbsc {

/// A symmetric graph with a zero diagonal. It contains a_ij if a_ij is among the largest entries of row i or of row j.
using NeighborGraph = SparseMatrix;

/// The number of largest entries to find in each row of n points: 16, or 0 if their buffers would take more than
/// 512 MiB.
int64_t neighbors_kept(int64_t n);

template <class T>
class LargestEntries {
 public:
  LargestEntries() = default;
  /// `each` is t.
  LargestEntries(int64_t rows, int64_t each);

  int64_t each() const { return each_; }
  /// The threshold of each row, followed by padding, which is infinite.
  const T* least() const { return least_.data(); }
  /// Inserts an entry if it is above the threshold of its row. Two threads must not offer to the same row at the same
  /// time.
  void offer(int64_t row, int64_t column, T value);

  /// Clears this object and copies the thresholds of rows [first, first + rows) of another one.
  void begin(const LargestEntries& other, int64_t first, int64_t rows);
  /// Offers the entries of another object to this one, in the order of their columns. Row 0 there is row `first` here.
  /// The other object may have begun with any thresholds that are not above those of this one; the result is the same.
  void merge(LargestEntries& other, int64_t first);
  /// Raises the thresholds of rows [first, first + rows) to those of another object with the same rows. The two objects
  /// must be merged later.
  void raise(const LargestEntries& other, int64_t first, int64_t rows);

  /// The state of rows [first, first + rows) as bytes, for messages to other ranks: its size, writing it, reading it.
  int64_t state_bytes(int64_t rows) const;
  void write_state(int64_t first, int64_t rows, std::byte* to) const;
  void read_state(int64_t first, int64_t rows, const std::byte* from);

  /// The graph of these entries. The rows are the own rows of `space`. This object is empty afterwards. Collective.
  NeighborGraph graph(const RowSpace& space);

 private:
  struct Entry {
    float value;
    int32_t column;
  };
  /// One direction of an edge, by global numbers.
  struct Edge {
    int32_t row, column;
    float value;
  };
  /// The edges of own rows, sorted by row.
  struct EdgeLists {
    std::vector<int64_t> starts;
    std::vector<Entry> entries;
  };
  void shrink(int64_t row);
  std::vector<std::vector<Edge>> exchange_edges(const RowSpace& space);
  EdgeLists sort_by_row(std::vector<std::vector<Edge>> edges, int64_t first_row) const;

  int64_t rows_ = 0, each_ = 0;
  AlignedVector<T> least_;
  std::vector<Entry> entries_;
  std::vector<int32_t> counts_;
};

}  // namespace mbsc
